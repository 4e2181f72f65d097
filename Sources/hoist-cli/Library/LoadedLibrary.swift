/// The library as the loader found it.
enum LoadedLibrary {
  static var path: String? {
    let maps = (try? InputFile.read("/proc/self/maps", for: "maps")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let files = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    return files.first { $0.split(separator: "/").last?.hasPrefix("libhoist.so") == true }
  }

  /// Where property plugins looks for a plug-in that is given by its name.
  static func plugin(_ name: String) -> String {
    let folder = path.flatMap { path in path.lastIndex(of: "/").map { path[..<$0] } } ?? ""
    return "\(folder)/hoist/libhoist-\(name).so"
  }
}
