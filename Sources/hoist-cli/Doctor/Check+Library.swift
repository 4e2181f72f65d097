import CHoist

/// What is loaded: the library that stands beside the tool, or wherever the loader found it.
extension Check {
  static func libraries() -> [Check] {
    [
      library(),
      version("libcurl", LibraryVersions.curl?.split(separator: " ").first.map { String($0.drop { $0 != "/" }.dropFirst()) }),
      version("tls", LibraryVersions.tls, missing: "libcurl has no TLS: https is not possible"),
      version("sqlite", LibraryVersions.sqlite),
      version("jansson", LibraryVersions.jansson),
      version("pcre2", LibraryVersions.pcre2),
    ]
  }

  private static func library() -> Check {
    let loaded = String(cString: hoist_version())
    let path = LoadedLibrary.path.map { ", \($0)" } ?? ""
    let built = "\(HOIST_VERSION_MAJOR).\(HOIST_VERSION_MINOR).\(HOIST_VERSION_PATCH)"
    return loaded == built
      ? Check("hoist", .ok, loaded + path)
      : Check("hoist", .warning, "\(loaded)\(path), and this tool is of \(built): install both from one build")
  }

  private static func version(_ name: String, _ version: String?, missing: String = "cannot be found") -> Check {
    Check(name, version == nil ? .failed : .ok, version ?? missing)
  }
}
