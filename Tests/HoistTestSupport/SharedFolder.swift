internal import Glibc

/// The folder `shared` beside the checkout: vectors that are an optional input of the tests.
public enum SharedFolder {
  /// The whole file, or `nil` where the folder is missing: skip what needs it.
  public static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(location + "/" + path, "rb") else { return nil }
    defer { fclose(file) }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = fread(&block, 1, block.count, file), count > 0 { content += block[..<count] }
    return content
  }

  /// Where it is, or would be.
  public static func path(_ path: String) -> String { location + "/" + path }

  private static var location: String {
    // …/checkout/Tests/HoistTestSupport/SharedFolder.swift
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(4)
    return (parts + ["shared"]).joined(separator: "/")
  }
}
