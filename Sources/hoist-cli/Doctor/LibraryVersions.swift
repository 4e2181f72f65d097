import Glibc

/// Versions of the C libraries as loaded now, which may be others than those built against. Asked by symbol: their
/// headers belong to the modules that use them.
enum LibraryVersions {
  private typealias Version = @convention(c) () -> UnsafePointer<CChar>?
  private typealias PCRE2Configuration = @convention(c) (UInt32, UnsafeMutableRawPointer?) -> Int32

  /// "libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13 …"; of the file that a client loads when it goes online.
  static var curl: String? { dlopen("libcurl.so.4", RTLD_NOW).flatMap { text("curl_version", of: $0) } }
  static var sqlite: String? { text("sqlite3_libversion") }
  static var jansson: String? { text("jansson_version_str") }

  static var pcre2: String? {
    guard let symbol = dlsym(nil, "pcre2_config_8") else { return nil }
    let configure = unsafeBitCast(symbol, to: PCRE2Configuration.self)
    /// PCRE2_CONFIG_VERSION: "10.42 2022-12-11", at most 24 bytes.
    let version: UInt32 = 11
    var buffer = [CChar](repeating: 0, count: 64)
    guard configure(version, nil) <= 64, configure(version, &buffer) > 0 else { return nil }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  /// The parts of libcurl's version line that name a TLS library.
  static var tls: String? {
    let backEnds = ["OpenSSL", "LibreSSL", "BoringSSL", "GnuTLS", "mbedTLS", "wolfSSL", "rustls-ffi", "AWS-LC", "quictls"]
    let found = (curl ?? "").split(separator: " ").filter { part in backEnds.contains { part.contains($0 + "/") } }
    return found.isEmpty ? nil : found.joined(separator: " ")
  }

  private static func text(_ symbol: String, of library: UnsafeMutableRawPointer? = nil) -> String? {
    dlsym(library, symbol).flatMap { unsafeBitCast($0, to: Version.self)() }.map { String(cString: $0) }
  }
}
