internal import HoistBase

/// Whom lines speak of (2.5, 4.5).
struct TrackingIdentity: Sendable, Equatable {
  /// What data is recorded under: linked visitors have one for all of them.
  var subject: [UInt8]
  var code: [UInt8]
  /// Whether the code is written as `mappingValue`.
  var isMappingValue = false
  /// Empty for none.
  var userAgent: [UInt8] = []
}

/// A datum as a row of the pipeline holds it.
///
///     version 1 · bits · kind · nonce · place · experiment · key · code · user agent · line
///
/// The line is empty for what withdraws another.
/// The code and the user agent are those of its recording, for a run in which nobody has opened the visitor.
struct TrackedRow {
  struct Bits: OptionSet {
    let rawValue: UInt8
    static let needsConsent = Bits(rawValue: 1)
    /// Consent was given when it was recorded, or not required.
    static let hadConsent = Bits(rawValue: 2)
    static let mappingValue = Bits(rawValue: 4)
    static let mapping = Bits(rawValue: 8)
    /// Of this visitor alone, also where others are linked to it.
    static let own = Bits(rawValue: 16)
    /// Stands for itself: nothing takes its place.
    static let unique = Bits(rawValue: 32)
  }

  private static let version: UInt8 = 1
  static let nonceLength = 16

  let bits: Bits
  let kind: TrackedDatum.Kind
  let nonce: [UInt8]
  let place: Int64
  /// Of an assignment; else 0.
  let experimentID: Int64
  let key: [UInt8]
  let code: [UInt8]
  let userAgent: [UInt8]
  let line: [UInt8]

  /// - Parameter payload: from a store, so it may be anything.
  init?(_ payload: [UInt8]) {
    let row = payload.withUnsafeBytes { bytes -> TrackedRow? in
      var reader = PartReader(bytes)
      guard reader.byte() == Self.version, let bits = reader.byte(),
        let kind = reader.byte().flatMap({ TrackedDatum.Kind(rawValue: $0) }), let nonce = reader.part(),
        let place = reader.word(), let experiment = reader.word(), let key = reader.part(), let code = reader.part(),
        let userAgent = reader.part()
      else { return nil }
      return TrackedRow(
        Bits(rawValue: bits), kind, nonce, UInt64(littleEndian: place), UInt64(littleEndian: experiment), key, code, userAgent,
        reader.rest)
    }
    guard let row, row.isSound else { return nil }
    self = row
  }

  private init(
    _ bits: Bits, _ kind: TrackedDatum.Kind, _ nonce: ByteView, _ place: UInt64, _ experiment: UInt64, _ key: ByteView,
    _ code: ByteView, _ userAgent: ByteView, _ line: ByteView
  ) {
    self.bits = bits
    self.kind = kind
    self.nonce = Array(nonce)
    self.place = Int64(bitPattern: place)
    experimentID = Int64(bitPattern: experiment)
    self.key = Array(key)
    self.code = Array(code)
    self.userAgent = Array(userAgent)
    self.line = Array(line)
  }

  /// A line break would make two lines of one.
  private var isSound: Bool {
    nonce.count == Self.nonceLength && nonce.allSatisfy(ASCII.isAlphanumeric) && !code.isEmpty
      && !line.contains { $0 < 0x21 || $0 > 0x7E }
  }

  var isWithdrawal: Bool { line.isEmpty }

  /// What of it decides whether it may be sent, without reading the rest.
  static func bits(of payload: [UInt8]) -> Bits { payload.count > 1 ? Bits(rawValue: payload[1]) : [] }

  /// - Parameters:
  ///   - nonce: random, for this datum alone.
  ///   - isOwn: see `Bits.own`.
  static func payload(
    _ datum: TrackedDatum, of identity: TrackingIdentity, hasConsent: Bool, nonce: UInt64, isOwn: Bool = false
  ) -> [UInt8] {
    var bits: Bits = []
    if datum.needsConsent { bits.formUnion(.needsConsent) }
    if hasConsent { bits.formUnion(.hadConsent) }
    if identity.isMappingValue { bits.formUnion(.mappingValue) }
    if datum.key == nil { bits.formUnion(.unique) }
    if datum.isMapping { bits.formUnion(.mapping) }
    if isOwn { bits.formUnion(.own) }
    let (line, key) = (datum.line, datum.key ?? [])
    var experiment: Int64 = 0
    if case .assignment(let assignment) = datum.content { experiment = assignment.experimentID }
    let parts = PartWriter.bytes(of: nonceLength) + PartWriter.bytes(of: key.count)
    let names = PartWriter.bytes(of: identity.code.count) + PartWriter.bytes(of: identity.userAgent.count)
    let size = 3 + 16 + parts + names + line.count
    return [UInt8](unsafeUninitializedCapacity: size) { room, count in
      guard let start = room.baseAddress else { return }
      var writer = PartWriter(UnsafeMutableRawPointer(start))
      writer.byte(version)
      writer.byte(bits.rawValue)
      writer.byte(datum.kind.rawValue)
      nonceText(nonce).withUnsafeBytes { writer.part($0) }
      writer.word(UInt64(bitPattern: datum.place).littleEndian)
      writer.word(UInt64(bitPattern: experiment).littleEndian)
      key.withUnsafeBytes { writer.part($0) }
      identity.code.withUnsafeBytes { writer.part($0) }
      identity.userAgent.withUnsafeBytes { writer.part($0) }
      line.withUnsafeBytes { writer.plain($0) }
      count = size
    }
  }

  /// 16 of `0-9A-F` (2.5).
  private static func nonceText(_ nonce: UInt64) -> [UInt8] {
    (0..<nonceLength).map { Hex.uppercaseDigit(UInt8(truncatingIfNeeded: nonce &>> UInt64(60 - 4 * $0)) & 15) }
  }
}
