public import HoistBase
internal import HoistCore
internal import HoistJSON

/// The data platform (OPT-46, OPT-67, OPT-68), and the installation's visitor (OPT-90).
extension OptimizelyFace {
  /// The visitor id; nil when there is none. May wait for the store, for milliseconds.
  public var vuid: String? { client.isClosed ? provider.vuid.current : provider.vuid.text }

  /// `sendOdpEvent`. Returns at once.
  /// - Parameters:
  ///   - identifiers: a JSON object of strings, or nil.
  ///   - data: a JSON object of strings, numbers, booleans and nulls, or nil.
  public func sendPlatformEvent(
    type: String?, action: String, identifiers: ByteView?, data: ByteView?
  ) throws(PlatformFailure) {
    if client.isClosed { throw .closed }
    client.resumeAfterFork()
    guard let platform = provider.platform else { throw .notEnabled }
    try platform.events.send(type: type, action: action) { () throws(PlatformFailure) in
      try PlatformEventReporter.Content(identifiers: identifiers, data: data)
    }
  }
}

extension PlatformEventReporter.Content {
  init(identifiers: ByteView?, data: ByteView?) throws(PlatformFailure) {
    if let identifiers {
      self.identifiers = try Self.members(of: identifiers, "identifiers") { $0.string }.get(
        .unreadable("the value of an ODP identifier is no string"))
    }
    if let data { self.data = try Self.members(of: data, "data") { PlatformEvent.Value($0) }.get(.invalidData) }
  }

  /// The members of a JSON object, each as `read` has it; nil when it has none for one of them.
  private static func members<Value>(
    of text: ByteView, _ name: StaticString, _ read: (JSONValue) -> Value?
  ) throws(PlatformFailure) -> [(name: String, value: Value)]? {
    guard let document = try? JSONDocument(parsing: text) else { throw .unreadable("the ODP \(name) are no JSON") }
    let found: [(name: String, value: Value?)]? = document.withRoot { root in
      root.object.map { object in object.map { ($0.key.string, read($0.value)) } }
    }
    guard let found else { throw .unreadable("the ODP \(name) are no JSON object") }
    var members: [(name: String, value: Value)] = []
    for (name, value) in found {
      guard let value else { return nil }
      members.append((name, value))
    }
    return members
  }
}

extension Optional {
  fileprivate func get(_ failure: PlatformFailure) throws(PlatformFailure) -> Wrapped {
    guard let self else { throw failure }
    return self
  }
}

extension PlatformEvent.Value {
  /// nil for arrays and objects.
  init?(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .int: self = .int(value.int64 ?? 0)
    case .double: self = .double(value.double ?? 0)
    case .string: self = .string(value.string ?? "")
    case .array, .object: return nil
    }
  }
}
