import Foundation
import HoistBase
import Testing

/// The `openssl` command: certificates made for one test run, and servers that speak TLS.
enum OpenSSL {
  static let isInstalled = (try? run(["version"])) != nil

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  @discardableResult
  static func run(_ arguments: [String], in folder: URL? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(description: "openssl \(arguments): \(text)") }
    return text
  }
}

/// An authority, and certificates it has signed, in a folder of their own.
final class TestAuthority: @unchecked Sendable {
  let folder: URL
  /// Made once for all tests of a run.
  static let shared = Result { try TestAuthority() }
  private static let parent = FileManager.default.temporaryDirectory.appendingPathComponent("hoist-tls-\(getpid())")

  private init() throws {
    folder = Self.parent
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The private keys are of no use to anyone after the run.
    atexit { try? FileManager.default.removeItem(at: TestAuthority.parent) }
    try makeAuthority("ca")
    try makeAuthority("other-ca")
    try makeCertificate("server", subject: "/CN=server", extensions: "subjectAltName=IP:127.0.0.1")
    try makeCertificate("elsewhere", subject: "/CN=elsewhere", extensions: "subjectAltName=DNS:elsewhere.test")
    try makeCertificate("client", subject: "/CN=client", extensions: "extendedKeyUsage=clientAuth")
    try makeExpiredCertificate("expired")
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func makeAuthority(_ name: String) throws {
    try OpenSSL.run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=\(name)", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", path("\(name).key"),
      "-out", path("\(name).pem"),
    ])
  }

  private func makeRequest(_ name: String, subject: String, extensions: String) throws {
    try OpenSSL.run([
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
      "-keyout", path("\(name).key"), "-out", path("\(name).csr"),
    ])
    try Data(extensions.utf8).write(to: folder.appendingPathComponent("\(name).ext"))
  }

  private func makeCertificate(_ name: String, subject: String, extensions: String) throws {
    try makeRequest(name, subject: subject, extensions: extensions)
    try OpenSSL.run([
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
      "-days", "2", "-extfile", path("\(name).ext"), "-out", path("\(name).pem"),
    ])
  }

  private func makeExpiredCertificate(_ name: String) throws {
    try makeRequest(name, subject: "/CN=expired", extensions: "subjectAltName=IP:127.0.0.1")
    let configuration = """
      [ca]
      default_ca = it
      [it]
      database = \(path("index.txt"))
      new_certs_dir = \(folder.path)
      serial = \(path("serial.txt"))
      default_md = sha256
      policy = any
      [any]
      commonName = supplied
      """
    try Data(configuration.utf8).write(to: folder.appendingPathComponent("ca.conf"))
    try Data().write(to: folder.appendingPathComponent("index.txt"))
    try Data("77\n".utf8).write(to: folder.appendingPathComponent("serial.txt"))
    try OpenSSL.run([
      "ca", "-batch", "-config", path("ca.conf"), "-cert", path("ca.pem"), "-keyfile", path("ca.key"),
      "-in", path("\(name).csr"), "-extfile", path("\(name).ext"), "-startdate", "200101000000Z",
      "-enddate", "200201000000Z", "-out", path("\(name).pem"), "-notext",
    ])
  }
}

/// `openssl s_server` on a port of the system's choice, until it is stopped.
final class TLSServer {
  private let process = Process()
  let port: UInt16

  /// - Parameters:
  ///   - certificate: a name of the authority's.
  ///   - answer: the whole answer to every request for `/page`.
  init(certificate: String, of authority: TestAuthority, answer: String, arguments: [String] = []) throws {
    let pages = authority.folder.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
    try Data(answer.utf8).write(to: pages.appendingPathComponent("page"))
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-HTTP", "-cert", authority.path("\(certificate).pem"),
        "-key", authority.path("\(certificate).key"),
      ] + arguments
    process.currentDirectoryURL = pages
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    port = try Self.port(saidBy: output.fileHandleForReading)
    // Whatever else it says is thrown away, so that it never waits for a reader.
    output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
  }

  var origin: String { "https://127.0.0.1:\(port)" }

  func stop() {
    // Started from a thread that blocks signals, it is deaf to a termination.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// It says `ACCEPT 127.0.0.1:40123` once it listens.
  static func port(saidBy output: FileHandle) throws -> UInt16 {
    var said = ""
    while true {
      let data = output.availableData
      guard !data.isEmpty else { throw OpenSSL.Failed(description: "s_server: \(said)") }
      said += String(decoding: data, as: UTF8.self)
      for line in said.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("ACCEPT"), let text = line.split(separator: ":").last, let port = UInt16(text) { return port }
      }
    }
  }
}
