# An operator with kubeclient, the client library for Ruby: opens each Ticket. The same program is the webhook that
# refuses a Ticket with a price below zero.

require 'json'
require 'kubeclient'
require 'openssl'
require 'socket'

$stdout.sync = true
FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'.freeze
NAMESPACE = File.read("#{FOLDER}/namespace")
HOST, PORT, OWN = ENV.values_at('KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'POD_IP')

tickets = Kubeclient::Client.new(
  "https://#{HOST}:#{PORT}/apis/fair.example.com", 'v1',
  auth_options: { bearer_token_file: "#{FOLDER}/token" }, ssl_options: { ca_file: "#{FOLDER}/ca.crt" }
)

# Reads one request and writes the response to it.
def review(connection)
  length = 0
  while (line = connection.gets) && line != "\r\n"
    length = line.split(':').last.to_i if line.downcase.start_with?('content-length:')
  end
  request = JSON.parse(connection.read(length))['request']
  isAllowed = request['object']['spec']['price'] >= 0
  response = { uid: request['uid'], allowed: isAllowed }
  response[:status] = { code: 403, message: 'a ticket costs something' } unless isAllowed
  body = JSON.generate(apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: response)
  head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: #{body.bytesize}\r\n"
  connection.write("#{head}Connection: close\r\n\r\n#{body}")
ensure
  connection.close
end

tls = OpenSSL::SSL::SSLContext.new
tls.add_certificate(OpenSSL::X509::Certificate.new(File.read('/tls/tls.crt')), OpenSSL::PKey.read(File.read('/tls/tls.key')))
server = OpenSSL::SSL::SSLServer.new(TCPServer.new(OWN, 8443), tls)
server.start_immediately = false
Thread.new do
  loop do
    connection = server.accept
    Thread.new do
      review(connection.accept)
    rescue OpenSSL::SSL::SSLError, SystemCallError
      # A probe opens a connection and says nothing.
      connection.close
    end
  end
end

loop do
  tickets.watch_tickets(namespace: NAMESPACE).each do |event|
    name = event.object.metadata.name
    next if event.type == 'DELETED' || event.object.status&.state == 'Open'

    tickets.merge_patch_ticket(name, { status: { state: 'Open' } }, NAMESPACE)
    puts "opened #{name}"
  end
end
