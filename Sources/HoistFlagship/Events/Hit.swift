internal import HoistBase
internal import HoistJSON

/// What a visitor did, as the host tells it (FS-71): made with what is required, completed, then sent any number of
/// times. What is missing or wrong shows when it is sent.
public struct Hit: Sendable {
  public enum Kind: Sendable {
    case screen, page, transaction, item, event

    var word: StaticString {
      switch self {
      case .screen: "screen"
      case .page: "page"
      case .transaction: "transaction"
      case .item: "item"
      case .event: "event"
      }
    }

    /// What no hit of the kind can do without.
    var required: [HitField] {
      switch self {
      case .screen, .page: [.location]
      case .transaction: [.transactionID, .affiliation]
      case .item: [.transactionID, .itemName, .itemCode]
      case .event: [.eventCategory, .action]
      }
    }
  }

  /// What an event is about (FS-98).
  public enum EventCategory: Sendable, CaseIterable {
    case actionTracking, userEngagement

    public var text: String {
      switch self {
      case .actionTracking: "Action Tracking"
      case .userEngagement: "User Engagement"
      }
    }
  }

  public let kind: Kind
  /// Each sent field with its value as JSON, in the order of their setting.
  private var values: [(field: HitField, json: [UInt8])] = []
  /// The members of the wire item that the host has set: JSON text without braces.
  private(set) var members: [UInt8] = []

  private init(_ kind: Kind, _ required: [(HitField, [UInt8])]) {
    self.kind = kind
    members.reserveCapacity(128)
    for (field, text) in required { put(field, Self.json(text)) }
  }

  /// FS-92.
  public static func screen(location: [UInt8]) -> Hit { Hit(.screen, [(.location, location)]) }
  /// FS-93.
  public static func page(location: [UInt8]) -> Hit { Hit(.page, [(.location, location)]) }
  /// FS-94.
  public static func transaction(id: [UInt8], affiliation: [UInt8]) -> Hit {
    Hit(.transaction, [(.transactionID, id), (.affiliation, affiliation)])
  }
  /// FS-96.
  public static func item(transactionID: [UInt8], name: [UInt8], code: [UInt8]) -> Hit {
    Hit(.item, [(.transactionID, transactionID), (.itemName, name), (.itemCode, code)])
  }
  /// FS-98.
  public static func event(_ category: EventCategory, action: [UInt8]) -> Hit {
    Hit(.event, [(.eventCategory, Array(category.text.utf8)), (.action, action)])
  }

  /// - Parameter text: valid UTF-8.
  public mutating func set(_ field: HitField, text: [UInt8]) throws(HitFlaw) {
    try accept(field, .text)
    put(field, Self.json(text))
  }

  public mutating func set(_ field: HitField, integer: Int64) throws(HitFlaw) {
    try accept(field, .integer)
    var writer = JSONWriter()
    writer.int(integer)
    put(field, writer.bytes)
  }

  public mutating func set(_ field: HitField, number: Double) throws(HitFlaw) {
    try accept(field, .number)
    guard number.isFinite else { throw HitFlaw(message: "the \(field.name) must be a finite number") }
    var writer = JSONWriter()
    writer.double(number)
    put(field, writer.bytes)
  }

  private func accept(_ field: HitField, _ form: HitField.Form) throws(HitFlaw) {
    guard field.belongs(to: kind) else { throw HitFlaw(message: "a hit of kind \(kind.word) has no \(field.name)") }
    guard field.form == form else { throw HitFlaw(message: "the \(field.name) of a hit is of another type") }
  }

  private static func json(_ text: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: text.count + 2)
    text.withUnsafeBufferPointer { writer.string(utf8: $0) }
    return writer.bytes
  }

  private mutating func put(_ field: HitField, _ json: [UInt8]) {
    guard field.key != nil else { return }
    guard let place = values.firstIndex(where: { $0.field == field }) else {
      values.append((field, json))
      return append(field, json)
    }
    values[place].json = json
    members.removeAll(keepingCapacity: true)
    for (field, json) in values { append(field, json) }
  }

  private mutating func append(_ field: HitField, _ json: [UInt8]) {
    guard let key = field.key else { return }
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    members.append(UInt8(ascii: "\""))
    key.withBytes { members.append(contentsOf: $0) }
    members.append(UInt8(ascii: "\""))
    members.append(UInt8(ascii: ":"))
    members.append(contentsOf: json)
  }
}

/// The checks of protocols/flagship.md 3.5, last paragraph.
extension Hit {
  /// Why it would not be sent as it is; nil when it would.
  public var flaw: HitFlaw? {
    for field in kind.required where (text(of: field)?.count ?? 0) == 0 {
      return HitFlaw(message: "a hit of kind \(kind.word) needs a \(field.name) that is not empty")
    }
    if kind == .page, let location = text(of: .location), !Self.isURL(location[...]) {
      return HitFlaw(message: "the location of a hit of kind page must be a URL with a scheme and a host")
    }
    if let value = values.first(where: { $0.field == .value })?.json, value.first == UInt8(ascii: "-") {
      return HitFlaw(message: "the value of an event must not be negative")
    }
    return nil
  }

  /// The inside of a JSON string: as long as a text without escapes.
  private func text(of field: HitField) -> ArraySlice<UInt8>? {
    values.first { $0.field == field }?.json.dropFirst().dropLast()
  }

  /// A scheme, `://` and something of a host, without blanks and control characters.
  private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
    text.withBytes { text in
      var cursor = ByteCursor(text)
      guard let first = cursor.next(), ASCII.isLetter(first) else { return false }
      cursor.take { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
      guard cursor.take("://") else { return false }
      let authority = cursor.rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
      let host = authority.lastIndex(of: 0x40).map { authority[(authority.index(after: $0))...] } ?? authority
      guard let start = host.first, start != 0x3A else { return false }
      return !text.contains { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }
    }
  }
}
