internal import HoistBase

/// A domain whose hosts stand in for the service's (2.1; KAM-B07).
struct NetworkDomain: Sendable, Equatable {
  let text: String

  /// - Returns: nil for what is no domain, as the vendor's SDKs see it: a scheme and dots around it are left out, and a port,
  ///   a path or a character that no name of a host has makes it none.
  init?(_ source: String) {
    var bytes = source.utf8.map { ASCII.lowercased($0) }[...]
    for scheme in ["https://", "http://"] where bytes.starts(with: scheme.utf8) {
      bytes = bytes.dropFirst(scheme.utf8.count)
      break
    }
    while bytes.first == Self.dot { bytes.removeFirst() }
    while bytes.last == Self.dot { bytes.removeLast() }
    guard bytes.elementsEqual("localhost".utf8) || Self.isHost(bytes, leastLabels: 2) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a text is labels of letters, digits and inner hyphens, joined by dots.
  static func isHost(_ bytes: ArraySlice<UInt8>, leastLabels: Int) -> Bool {
    let labels = bytes.split(separator: dot, omittingEmptySubsequences: false)
    return labels.count >= leastLabels && bytes.count <= 253 && labels.allSatisfy(isLabel)
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    guard let first = label.first, let last = label.last, first != hyphen, last != hyphen else { return false }
    return label.allSatisfy { ASCII.isAlphanumeric($0) || $0 == hyphen }
  }

  private static let dot = UInt8(ascii: ".")
  private static let hyphen = UInt8(ascii: "-")
}
