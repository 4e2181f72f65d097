internal import HoistBase
internal import HoistCore

/// What the SDK itself says in every context (protocols/flagship.md 4.6; FS-109 to FS-112, FS-118 to FS-120, FS-126,
/// FS-200). Immutable, one for each client.
struct AutomaticContext: Sendable {
  /// What is known of the machine, by whether the visitor is the first of the installation.
  private let first: [Attribute]
  private let later: [Attribute]
  /// Those that only the SDK sets, but for the visitor's id.
  private let reserved: [Attribute]

  init(clientName: String, machine facts: MachineFacts) {
    let version = Array(HoistVersion.text.utf8)
    // As the vendor writes it, "fr_FR"; the locale that speaks no language is the English of the United States.
    let language = (facts.locale ?? "en-US").utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
    let known: [(PredefinedKey, [UInt8]?)] = [
      (.locale, language), (.deviceType, Array("Desktop".utf8)), (.deviceModel, facts.architecture.map { Array($0.utf8) }),
      (.osName, Array("Linux".utf8)), (.osVersionCode, facts.release.map { Array($0.utf8) }),
      (.osVersionName, Array((facts.systemTitle ?? "Linux").utf8)), (.flagshipVersion, version),
    ]
    func pairs(isFirst: Bool) -> [Attribute] {
      var context = VisitorContext()
      context.set([Attribute(name: PredefinedKey.firstTimeInit.bytes, value: .bool(isFirst))]) { _ in }
      context.set(known.compactMap { key, value in value.map { Attribute(name: key.bytes, value: .string($0)) } }) { _ in }
      return context.pairs
    }
    first = pairs(isFirst: true)
    later = pairs(isFirst: false)
    let own: [(StaticString, [UInt8])] = [
      (ReservedKey.allUsers, []), (ReservedKey.client, Array(clientName.utf8)), (ReservedKey.version, version),
    ]
    reserved = own.map { Attribute(name: $0.withBytes { Array($0) }, value: .string($1)) }
  }

  /// Sets them, over what the host has set so far.
  /// - Parameter isFirstTime: whether no visitor was made with this store before.
  func load(into context: inout VisitorContext, isFirstTime: Bool) {
    let pairs = isFirstTime ? first : later
    // Refused only where the host has filled the context.
    if !context.append(predefined: pairs) { context.set(pairs) { _ in } }
  }

  /// The context that campaigns and requests see: of the visitor, with the pairs that only the SDK sets.
  func reference(_ context: VisitorContext, visitorID: [UInt8]) -> ContextReference? {
    var pairs: [Attribute] = []
    pairs.reserveCapacity(context.pairs.count + reserved.count + 1)
    pairs += context.pairs
    let user = Attribute(name: Self.users, value: .string(visitorID))
    pairs += reserved.prefix(1)
    if (try? EvaluationContext.check(user.name, user.value)) != nil { pairs.append(user) }
    pairs += reserved.dropFirst()
    return ContextReference(key: visitorID, attributes: pairs)
  }

  /// What is said of a key in the context of one call, which makes no visitor: it is not the first one. nil for nothing.
  func value(of key: ByteView) -> AttributeValue? {
    (later + reserved).first { $0.name.withBytes { $0.hasSameBytes(as: key) } }?.value
  }

  private static let users = ReservedKey.users.withBytes { Array($0) }
}

extension PredefinedKey {
  var bytes: [UInt8] { name.withBytes { Array($0) } }
}
