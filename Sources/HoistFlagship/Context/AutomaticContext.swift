internal import HoistBase
internal import HoistCore

/// What the SDK itself says in every context (protocols/flagship.md 4.6; FS-109 to FS-112, FS-118 to FS-120, FS-126,
/// FS-200). Immutable, one for each client.
struct AutomaticContext: Sendable {
  private let machine: [(key: PredefinedKey, value: [UInt8])]
  private let clientName: [UInt8]
  private static let version = Array(HoistVersion.text.utf8)

  init(clientName: String, machine facts: MachineFacts) {
    self.clientName = Array(clientName.utf8)
    let language = facts.locale.map { Array($0.utf8.prefix { $0 != UInt8(ascii: "-") }) }
    let known: [(PredefinedKey, [UInt8]?)] = [
      (.locale, language), (.deviceType, Array("Desktop".utf8)), (.deviceModel, facts.architecture.map { Array($0.utf8) }),
      (.osName, Array("Linux".utf8)), (.osVersionCode, facts.release.map { Array($0.utf8) }),
      (.osVersionName, Array((facts.systemTitle ?? "Linux").utf8)), (.flagshipVersion, Self.version),
    ]
    machine = known.compactMap { key, value in value.map { (key, $0) } }
  }

  /// Sets them in place of what the host has set so far.
  /// - Parameter isFirstTime: whether no visitor was made with this store before.
  func load(into context: inout VisitorContext, isFirstTime: Bool) {
    func set(_ key: PredefinedKey, _ value: AttributeValue) {
      // Refused only where the host has filled the context.
      try? context.set(key.bytes, value)
    }
    set(.firstTimeInit, .bool(isFirstTime))
    for (key, value) in machine { set(key, .string(value)) }
  }

  /// The context that campaigns and requests see: of the visitor, with the pairs that only the SDK sets.
  func reference(_ context: VisitorContext, visitorID: [UInt8]) -> ContextReference? {
    let reserved: [(StaticString, [UInt8])] = [
      (ReservedKey.allUsers, []), (ReservedKey.users, visitorID), (ReservedKey.client, clientName),
      (ReservedKey.version, Self.version),
    ]
    let pairs = context.pairs + reserved.map { Attribute(name: $0.withBytes { Array($0) }, value: .string($1)) }
    return EvaluationContext(targetingKey: visitorID, attributes: pairs).reference()
  }
}

extension PredefinedKey {
  var bytes: [UInt8] { name.withBytes { Array($0) } }
}
