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
    let path = place.map { ", \($0)" } ?? ""
    let built = "\(HOIST_VERSION_MAJOR).\(HOIST_VERSION_MINOR).\(HOIST_VERSION_PATCH)"
    return loaded == built
      ? Check("hoist", .ok, loaded + path)
      : Check("hoist", .warning, "\(loaded)\(path), and this tool is of \(built): install both from one build")
  }

  /// Where the loader found it.
  private static var place: String? {
    let maps = (try? InputFile.read("/proc/self/maps", for: "maps")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let files = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    return files.first { $0.split(separator: "/").last?.hasPrefix("libhoist.so") == true }
  }

  private static func version(_ name: String, _ version: String?, missing: String = "cannot be found") -> Check {
    Check(name, version == nil ? .failed : .ok, version ?? missing)
  }
}
