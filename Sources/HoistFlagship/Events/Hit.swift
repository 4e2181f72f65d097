public import HoistBase

/// What a visitor did, as the host tells it (FS-71): made with what is required, completed, then sent any number of
/// times. What is missing or wrong shows when it is sent. Not copyable: it owns the memory of its values.
public struct Hit: ~Copyable, @unchecked Sendable {
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

    /// What no hit of the kind can do without: the bits of the fields.
    var required: UInt32 {
      switch self {
      case .screen, .page: HitField.location.bit
      case .transaction: HitField.transactionID.bit | HitField.affiliation.bit
      case .item: HitField.transactionID.bit | HitField.itemName.bit | HitField.itemCode.bit
      case .event: HitField.eventCategory.bit | HitField.action.bit
      }
    }
  }

  /// What an event is about (FS-98).
  public enum EventCategory: UInt8, Sendable, CaseIterable {
    case actionTracking, userEngagement

    public var text: StaticString {
      switch self {
      case .actionTracking: "Action Tracking"
      case .userEngagement: "User Engagement"
      }
    }

    /// As the service writes it, or as the vendor's SDKs do, with an underscore.
    init?(named name: [UInt8]) {
      let text = name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }
      guard let named = Self.allCases.first(where: { $0.text.description.utf8.elementsEqual(text) }) else { return nil }
      self = named
    }
  }

  public private(set) var kind: Kind
  /// What the host has set, in the order of their first setting.
  private(set) var fields = HitFields()
  /// The bits of those that no hit may have.
  private var unsound: UInt32 = 0

  /// All of it; valid until the hit is changed or ends, which a temporary one does at once.
  public var content: HitContent {
    HitContent(kind: kind, fields: fields.bytes, filled: fields.filled, unsound: unsound)
  }

  /// Says nothing yet.
  public init(_ kind: Kind) { self.kind = kind }

  /// Another hit in the memory of this one.
  public mutating func begin(_ kind: Kind) {
    self.kind = kind
    fields.removeAll()
    unsound = 0
  }

  /// Bytes of the memory it has.
  public var size: Int { fields.size }

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
    var hit = Hit(.event)
    hit.set(category)
    return hit.with(.action, action)
  }

  private consuming func with(_ field: HitField, _ text: some ByteSource) -> Hit {
    text.withBytes { fields.set(field, $0) }
    return self
  }

  /// Of an event; without effect on other hits.
  public mutating func set(_ category: EventCategory) {
    guard kind == .event else { return }
    withUnsafeBytes(of: category.rawValue) { fields.set(.eventCategory, $0) }
  }

  /// - Parameter text: valid UTF-8.
  public mutating func set(_ field: HitField, text: ByteView) throws(HitFlaw) {
    try accept(field, .text)
    guard text.count <= Int32.max else { throw HitFlaw(message: "the \(field.name) is too long") }
    if field == .currency { judge(field, isSound: text.count == 3 && text.allSatisfy { 0x41...0x5A ~= $0 }) }
    fields.set(field, text)
  }

  /// The same for text and arrays.
  public mutating func set(_ field: HitField, text: some ByteSource) throws(HitFlaw) {
    let flaw = text.withBytes { text -> HitFlaw? in
      do throws(HitFlaw) {
        try set(field, text: text)
        return nil
      } catch {
        return error
      }
    }
    if let flaw { throw flaw }
  }

  public mutating func set(_ field: HitField, integer: Int64) throws(HitFlaw) {
    try accept(field, .integer)
    if field.counts { judge(field, isSound: integer >= 0) }
    fields.set(field, bits: UInt64(bitPattern: integer))
  }

  public mutating func set(_ field: HitField, number: Double) throws(HitFlaw) {
    try accept(field, .number)
    guard number.isFinite else { throw HitFlaw(message: "the \(field.name) must be a finite number") }
    fields.set(field, bits: number.bitPattern)
  }

  @inline(__always)
  private mutating func judge(_ field: HitField, isSound: Bool) {
    unsound = isSound ? unsound & ~field.bit : unsound | field.bit
  }

  @inline(__always)
  private func accept(_ field: HitField, _ form: HitField.Form) throws(HitFlaw) {
    if field.belongs(to: kind), field.form == form { return }
    throw refusal(of: field)
  }

  @inline(never)
  private func refusal(of field: HitField) -> HitFlaw {
    field.belongs(to: kind)
      ? HitFlaw(message: "the \(field.name) of a hit is of another type")
      : HitFlaw(message: "a hit of kind \(kind.word) has no \(field.name)")
  }
}
