internal import Glibc

/// Whose certificates are trusted where no file is given.
enum CertificateAuthorities {
  /// Where systems keep them: Debian and Alpine, Fedora, SUSE, older RHEL, BSD-like.
  static let places = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The file in place of the system's: the option's, or the one that OpenSSL's variable names.
  static func given(option: String?, environment: (String) -> String?) -> String? {
    option ?? environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What to use in place of a file that libcurl was built to use and that this system does not have; nil leaves it at that.
  static func system(builtIn: String?, isThere: (String) -> Bool = { access($0, R_OK) == 0 }) -> String? {
    if let builtIn, isThere(builtIn) { return nil }
    return places.first(where: isThere)
  }
}
