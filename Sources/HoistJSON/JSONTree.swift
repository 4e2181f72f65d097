internal import CJansson

/// Builds a jansson tree.
///
/// Every container is attached to the one around it when it opens, so that the root owns all that was
/// built, whenever reading ends.
struct JSONTree: JSONSink, ~Copyable {
  /// Belongs to the tree.
  private(set) var root: UnsafeMutablePointer<json_t>?
  private var containers: [Container] = []
  private var name = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  private struct Container {
    let json: UnsafeMutablePointer<json_t>
    let isObject: Bool
  }

  init() {}

  deinit { json_decref(root) }

  var depth: Int { containers.count }
  var isInObject: Bool { containers.last?.isObject ?? false }

  mutating func name(_ name: UnsafeBufferPointer<UInt8>) { self.name = name }

  mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(JSONFailure) {
    try attach(text.withMemoryRebound(to: CChar.self) { json_stringn_nocheck($0.baseAddress, $0.count) })
  }

  mutating func number(_ number: JSONScanner.Number) throws(JSONFailure) {
    switch number {
    case .int(let value): try attach(json_integer(json_int_t(value)))
    case .double(let value): try attach(json_real(value))
    }
  }

  mutating func bool(_ truth: Bool) throws(JSONFailure) { try attach(truth ? json_true() : json_false()) }
  mutating func null() throws(JSONFailure) { try attach(json_null()) }

  mutating func open(_ place: UnsafePointer<UInt8>, isObject: Bool) throws(JSONFailure) {
    let json = isObject ? json_object() : json_array()
    try attach(json)
    if let json { containers.append(Container(json: json, isObject: isObject)) }
  }

  mutating func close(_ place: UnsafePointer<UInt8>) { containers.removeLast() }

  /// Gives a new value to the container around it; jansson frees it when that fails.
  private mutating func attach(_ json: UnsafeMutablePointer<json_t>?) throws(JSONFailure) {
    guard let json else { throw .outOfMemory }
    guard let container = containers.last else {
      root = json
      return
    }
    let failed =
      container.isObject
      ? name.withMemoryRebound(to: CChar.self) {
        json_object_setn_new_nocheck(container.json, $0.baseAddress, $0.count, json)
      }
      : json_array_append_new(container.json, json)
    guard failed == 0 else { throw .outOfMemory }
  }
}
