import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon
import HoistPropertyList
import HoistTestSupport

/// A configuration that a client takes gives a visitor each flag's variation, the same one twice, and explains it.
func checkConfiguration(_ bytes: ByteView) -> String? {
  // A property is text; what is none is refused before it is read.
  guard UTF8Text.isValid(bytes), !bytes.contains(0) else { return nil }
  let properties = [
    "site_code": "site", "default_datafile": String(decoding: bytes, as: UTF8.self), "store": "none", "dispatch": "manual",
    "online": "false", "log.level": "none",
  ]
  guard let host = try? TestClient(KameleoonFactory(), properties), let face = KameleoonFace(host.client) else { return nil }
  host.open()
  for code in ["visitor-7", "é"] {
    guard let visitor = try? face.visitor(Array(code.utf8), waits: false) else { return "a good visitor code is refused" }
    guard let list = visitor.variations(isTracked: false) else { continue }
    for index in 0..<min(list.count, 64) {
      guard let key = list.key(at: index), let variation = list.variation(at: index) else {
        return "a flag that is counted is none"
      }
      if let problem = check(Array(key), variation, visitor) { return problem }
    }
  }
  return nil
}

private func check(_ key: [UInt8], _ listed: KameleoonVariation, _ visitor: KameleoonVisitor) -> String? {
  let name = String(decoding: key, as: UTF8.self)
  return key.withUnsafeBytes { key in
    for _ in 0..<2 {
      guard let variation = visitor.variation(key, isTracked: false).variation else { return "\(name) is listed and not given" }
      defer { variation.release() }
      if Array(variation.key) != Array(listed.key) || variation.id != listed.id { return "\(name) is another one than listed" }
    }
    for index in 0..<listed.variableCount {
      guard let json = listed.variable(at: index)?.json, (try? JSONNode.parse(json, { _ in })) != nil else {
        return "a variable of \(name) is no JSON"
      }
    }
    guard let steps = visitor.explanation(key) else { return "\(name) cannot be explained" }
    return (try? JSONDocument(parsing: steps)) == nil ? "the explanation of \(name) is no JSON" : nil
  }
}

/// The entries of a list are told with their lines, in their order, and the same ones twice.
func checkPropertyList(_ bytes: ByteView) -> String? {
  guard let list = try? PropertyList(bytes) else { return nil }
  for (entry, next) in zip(list.entries, list.entries.dropFirst()) where next.line < entry.line {
    return "an entry stands before the one before it"
  }
  return (try? PropertyList(bytes))?.entries == list.entries ? nil : "read twice, the list differs"
}
