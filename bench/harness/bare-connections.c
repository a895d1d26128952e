/*
 * Connections that carry one byte each way and are reset then: nothing but the way costs time.
 *
 *   bare-connections server PORT        serves until it is killed
 *   bare-connections client HOST PORT   prints connections in a second
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, SECONDS = 2, BACKLOG = 4096 };

static struct sockaddr_in place = {.sin_family = AF_INET};
static int listener;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

static void *serve(void *unused) {
  for (;;) {
    char byte;
    int client = accept(listener, NULL, NULL);
    if (client < 0) continue;
    if (read(client, &byte, 1) == 1 && write(client, &byte, 1) == 1) read(client, &byte, 1);
    close(client);
  }
  return unused;
}

/* Returns the number of connections. */
static void *call(void *unused) {
  const struct linger reset = {1, 0};
  long count = 0;
  for (double end = now() + SECONDS; now() < end; count++) {
    char byte = 'x';
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&place, sizeof place) != 0 || write(server, &byte, 1) != 1 ||
        read(server, &byte, 1) != 1) {
      perror("no answer");
      exit(1);
    }
    setsockopt(server, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(server);
  }
  (void)unused;
  return (void *)count;
}

static long in_threads(void *(*run)(void *)) {
  pthread_t threads[THREADS];
  long sum = 0;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < THREADS; i++) {
    void *count;
    pthread_join(threads[i], &count);
    sum += (long)count;
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  place.sin_port = htons(atoi(argv[argc - 1]));
  if (strcmp(argv[1], "client") == 0) {
    inet_pton(AF_INET, argv[2], &place.sin_addr);
    printf("%ld\n", in_threads(call) / SECONDS);
    return 0;
  }
  const int yes = 1;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr *)&place, sizeof place) != 0 || listen(listener, BACKLOG) != 0) return 1;
  in_threads(serve);
  return 0;
}
