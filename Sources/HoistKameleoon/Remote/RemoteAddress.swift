internal import HoistBase

/// What is asked of the Data API, as URLs (2.7, 2.8).
enum RemoteAddress {
  /// - Parameters:
  ///   - base: of the Data API, without a slash at its end.
  ///   - isUnique: whether the code is a unique identifier.
  static func visitorData(
    _ base: String, siteCode: String, visitorCode: [UInt8], isUnique: Bool, filter: RemoteVisitorDataFilter
  ) -> String {
    var query = URLQuery("\(base)/visit/visitor")
    query.add("siteCode", siteCode)
    query.add(isUnique ? "mappingValue" : "visitorCode", visitorCode)
    query.add("maxNumberPreviousVisits", "\(filter.previousVisitAmount)")
    query.add("version", "0")
    query.add("staticData", "true")
    for (bit, name) in RemoteVisitorDataFilter.Parts.queryNames.enumerated() where filter.parts.rawValue >> bit & 1 == 1 {
      query.add(name, "true")
    }
    return query.text
  }

  static func remoteData(_ base: String, siteCode: String, key: [UInt8]) -> String {
    var query = URLQuery("\(base)/map/map")
    query.add("siteCode", siteCode)
    query.add("key", key)
    return query.text
  }
}

/// A URL that parameters are added to, encoded as JavaScript's `encodeURIComponent` does; empty values are left out (2.1).
struct URLQuery {
  private var bytes: [UInt8]
  private var hasParameters = false

  init(_ path: String) { bytes = Array(path.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func add(_ name: StaticString, _ value: String) { value.withBytes { add(name, $0) } }
  mutating func add(_ name: StaticString, _ value: [UInt8]) { value.withBytes { add(name, $0) } }

  private mutating func add(_ name: StaticString, _ value: ByteView) {
    if value.isEmpty { return }
    bytes.append(UInt8(ascii: hasParameters ? "&" : "?"))
    hasParameters = true
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "="))
    PercentEncoding.append(value, to: &bytes, keeping: .component)
  }
}
