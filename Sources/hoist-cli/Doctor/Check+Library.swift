import CHoist

/// What is loaded.
extension Check {
  static func libraries() -> [Check] {
    [
      Check("hoist", .ok, String(cString: hoist_version())),
      version("libcurl", LibraryVersions.curl?.split(separator: " ").first.map { String($0.drop { $0 != "/" }.dropFirst()) }),
      version("tls", LibraryVersions.tls, missing: "libcurl has no TLS: https is not possible"),
      version("sqlite", LibraryVersions.sqlite),
      version("jansson", LibraryVersions.jansson),
      version("pcre2", LibraryVersions.pcre2),
    ]
  }

  private static func version(_ name: String, _ version: String?, missing: String = "cannot be found") -> Check {
    Check(name, version == nil ? .failed : .ok, version ?? missing)
  }
}
