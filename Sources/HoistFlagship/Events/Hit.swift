public import HoistBase
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
  /// Where the value of each sent field stands in the members; in the order of their setting.
  private var places: [Place] = []
  private var writer = JSONWriter()

  private struct Place {
    let field: HitField
    /// Of its value.
    let value: Int
    let end: Int
  }

  /// The members of the wire item that the host has set: JSON text without braces.
  var members: [UInt8] { writer.bytes }

  private init(_ kind: Kind) {
    self.kind = kind
    writer = JSONWriter(reservingCapacity: 128)
    places.reserveCapacity(6)
  }

  /// FS-92.
  public static func screen(location: some ByteSource) -> Hit { Hit(.screen).with(.location, location) }
  /// FS-93.
  public static func page(location: some ByteSource) -> Hit { Hit(.page).with(.location, location) }
  /// FS-94.
  public static func transaction(id: some ByteSource, affiliation: some ByteSource) -> Hit {
    Hit(.transaction).with(.transactionID, id).with(.affiliation, affiliation)
  }
  /// FS-96.
  public static func item(transactionID: some ByteSource, name: some ByteSource, code: some ByteSource) -> Hit {
    Hit(.item).with(.transactionID, transactionID).with(.itemName, name).with(.itemCode, code)
  }
  /// FS-98.
  public static func event(_ category: EventCategory, action: some ByteSource) -> Hit {
    Hit(.event).with(.eventCategory, category.text).with(.action, action)
  }

  private consuming func with(_ field: HitField, _ text: some ByteSource) -> Hit {
    var hit = self
    text.withBytes { hit.put(field, .text($0)) }
    return hit
  }

  /// - Parameter text: valid UTF-8.
  public mutating func set(_ field: HitField, text: some ByteSource) throws(HitFlaw) {
    try accept(field, .text)
    text.withBytes { put(field, .text($0)) }
  }

  public mutating func set(_ field: HitField, integer: Int64) throws(HitFlaw) {
    try accept(field, .integer)
    put(field, .integer(integer))
  }

  public mutating func set(_ field: HitField, number: Double) throws(HitFlaw) {
    try accept(field, .number)
    guard number.isFinite else { throw HitFlaw(message: "the \(field.name) must be a finite number") }
    put(field, .number(number))
  }

  private func accept(_ field: HitField, _ form: HitField.Form) throws(HitFlaw) {
    guard field.belongs(to: kind) else { throw HitFlaw(message: "a hit of kind \(kind.word) has no \(field.name)") }
    guard field.form == form else { throw HitFlaw(message: "the \(field.name) of a hit is of another type") }
  }

  private enum Value {
    case text(ByteView)
    case integer(Int64)
    case number(Double)
    /// JSON text.
    case written(ArraySlice<UInt8>)
  }

  private mutating func put(_ field: HitField, _ value: Value) {
    guard let key = field.key else { return }
    guard places.contains(where: { $0.field == field }) else { return append(field, key, value) }
    // A later value takes the former one's place among the members.
    var renewed = Hit(kind)
    for place in places {
      guard let key = place.field.key else { continue }
      renewed.append(place.field, key, place.field == field ? value : .written(members[place.value..<place.end]))
    }
    self = renewed
  }

  private mutating func append(_ field: HitField, _ key: StaticString, _ value: Value) {
    key.withUTF8Buffer { writer.key(utf8: $0) }
    let start = writer.bytes.count
    switch value {
    case .text(let text): writer.text(text)
    case .integer(let whole): writer.int(whole)
    case .number(let number): writer.double(number)
    case .written(let json): writer.raw(json)
    }
    places.append(Place(field: field, value: start, end: writer.bytes.count))
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
    if json(of: .value)?.first == UInt8(ascii: "-") {
      return HitFlaw(message: "the value of an event must not be negative")
    }
    return nil
  }

  /// The inside of a JSON string: as long as a text without escapes.
  private func text(of field: HitField) -> ArraySlice<UInt8>? { json(of: field)?.dropFirst().dropLast() }

  private func json(of field: HitField) -> ArraySlice<UInt8>? {
    places.first { $0.field == field }.map { members[$0.value..<$0.end] }
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
