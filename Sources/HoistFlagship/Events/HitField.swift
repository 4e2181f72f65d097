/// What a hit can say, and its key on the wire (protocols/flagship.md 3.5; FS-90 to FS-99).
public enum HitField: UInt8, Sendable, CaseIterable {
  // Of every hit.
  case location, userIP, screenResolution, screenColorDepth, userLanguage, sessionNumber
  /// Taken, and not sent: neither does the vendor (10.14).
  case sessionTimestamp, sessionEventNumber
  case transactionID
  case affiliation, revenue, shipping, tax, currency, couponCode, paymentMethod, shippingMethod, itemCount
  case itemName, itemCode, price, quantity, itemCategory
  case eventCategory, action, label, value

  enum Form { case text, integer, number, category }

  /// Of a set of fields.
  var bit: UInt32 { 1 << UInt32(rawValue) }

  var isUnsent: Bool { self == .sessionTimestamp || self == .sessionEventNumber }

  /// nil for what is not sent.
  var key: StaticString? {
    switch self {
    case .location: "dl"
    case .userIP: "uip"
    case .screenResolution: "sr"
    case .screenColorDepth: "sd"
    case .userLanguage: "ul"
    case .sessionNumber: "sn"
    case .sessionTimestamp, .sessionEventNumber: nil
    case .transactionID: "tid"
    case .affiliation: "ta"
    case .revenue: "tr"
    case .shipping: "ts"
    case .tax: "tt"
    case .currency: "tc"
    case .couponCode: "tcc"
    case .paymentMethod: "pm"
    case .shippingMethod: "sm"
    case .itemCount: "icn"
    case .itemName: "in"
    case .itemCode: "ic"
    case .price: "ip"
    case .quantity: "iq"
    case .itemCategory: "iv"
    case .eventCategory: "ec"
    case .action: "ea"
    case .label: "el"
    case .value: "ev"
    }
  }

  /// In the words of the header.
  var name: StaticString {
    switch self {
    case .location: "location"
    case .userIP: "user IP"
    case .screenResolution: "screen resolution"
    case .screenColorDepth: "screen colour depth"
    case .userLanguage: "user language"
    case .sessionNumber: "session number"
    case .sessionTimestamp: "current session timestamp"
    case .sessionEventNumber: "session event number"
    case .transactionID: "transaction id"
    case .affiliation: "affiliation"
    case .revenue: "revenue"
    case .shipping: "shipping"
    case .tax: "tax"
    case .currency: "currency"
    case .couponCode: "coupon code"
    case .paymentMethod: "payment method"
    case .shippingMethod: "shipping method"
    case .itemCount: "item count"
    case .itemName: "name"
    case .itemCode: "code"
    case .price: "price"
    case .quantity: "quantity"
    case .itemCategory: "category"
    case .eventCategory: "category"
    case .action: "action"
    case .label: "label"
    case .value: "value"
    }
  }

  var form: Form {
    switch self {
    case .sessionNumber, .sessionTimestamp, .sessionEventNumber, .itemCount, .quantity, .value: .integer
    case .revenue, .shipping, .tax, .price: .number
    case .eventCategory: .category
    default: .text
    }
  }

  /// Whether it counts something, and is not negative.
  var counts: Bool { self == .itemCount || self == .quantity || self == .value }

  /// Whether hits of a kind have it.
  func belongs(to kind: Hit.Kind) -> Bool {
    switch self {
    case .location, .userIP, .screenResolution, .screenColorDepth, .userLanguage, .sessionNumber, .sessionTimestamp,
      .sessionEventNumber:
      true
    case .transactionID: kind == .transaction || kind == .item
    case .affiliation, .revenue, .shipping, .tax, .currency, .couponCode, .paymentMethod, .shippingMethod, .itemCount:
      kind == .transaction
    case .itemName, .itemCode, .price, .quantity, .itemCategory: kind == .item
    case .eventCategory, .action, .label, .value: kind == .event
    }
  }
}

/// Why a hit, or one of its values, is refused.
public struct HitFlaw: Error, Sendable, Equatable {
  /// One line for people.
  public var message: String
}
