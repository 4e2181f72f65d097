internal import HoistBase

/// The visitor of a line (2.5, 4.5).
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
/// The line is empty for a row that withdraws another. For frequent data the line is made when the row is drained, so
/// that recording is fast. The code and the user agent are those of the recording, for a run in which the visitor is
/// not open.
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
  /// Of a row as it is recorded, where its line is made later; it never leaves the process.
  private static let draftVersion: UInt8 = 0
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

  /// The recorded form of a datum: a head, and its line; no line where the head holds what it is made of.
  /// - Parameters:
  ///   - nonce: random, for this datum alone.
  ///   - isOwn: see `Bits.own`.
  static func withRecord<Result>(
    _ datum: TrackedDatum, of identity: TrackingIdentity, hasConsent: Bool, nonce: UInt64, isOwn: Bool = false,
    _ body: (_ head: ByteView, _ content: ByteView) -> Result
  ) -> Result {
    var bits: Bits = []
    if datum.needsConsent { bits.formUnion(.needsConsent) }
    if hasConsent { bits.formUnion(.hadConsent) }
    if identity.isMappingValue { bits.formUnion(.mappingValue) }
    if datum.key == nil { bits.formUnion(.unique) }
    if datum.isMapping { bits.formUnion(.mapping) }
    if isOwn { bits.formUnion(.own) }
    let key = datum.key ?? []
    let draft = datum.draftBytes
    var experiment: Int64 = 0
    if case .assignment(let assignment) = datum.content { experiment = assignment.experimentID }
    let parts = PartWriter.bytes(of: nonceLength) + PartWriter.bytes(of: key.count)
    let names = PartWriter.bytes(of: identity.code.count) + PartWriter.bytes(of: identity.userAgent.count)
    let size = 3 + 16 + parts + names + (draft ?? 0)
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
      guard let start = room.baseAddress else { return body(ByteView(room), ByteView(start: nil, count: 0)) }
      var writer = PartWriter(start)
      writer.byte(draft == nil ? version : draftVersion)
      writer.byte(bits.rawValue)
      writer.byte(datum.kind.rawValue)
      write(nonce, to: &writer)
      writer.word(UInt64(bitPattern: datum.place).littleEndian)
      writer.word(UInt64(bitPattern: experiment).littleEndian)
      key.withUnsafeBytes { writer.part($0) }
      identity.code.withUnsafeBytes { writer.part($0) }
      identity.userAgent.withUnsafeBytes { writer.part($0) }
      guard draft != nil else { return datum.line.withUnsafeBytes { body(ByteView(room), $0) } }
      datum.writeDraft(to: &writer)
      return body(ByteView(room), ByteView(start: nil, count: 0))
    }
  }

  /// 16 of `0-9A-F` (2.5).
  private static func write(_ nonce: UInt64, to writer: inout PartWriter) {
    withUnsafeTemporaryAllocation(byteCount: nonceLength, alignment: 1) { digits in
      for place in 0..<nonceLength {
        digits[place] = Hex.uppercaseDigit(UInt8(truncatingIfNeeded: nonce &>> UInt64(60 &- 4 &* place)) & 15)
      }
      writer.part(ByteView(digits))
    }
  }

  /// The form in which it waits, of the one in which it was recorded: with its line.
  static func finished(_ recorded: ByteView) -> [UInt8] {
    guard recorded.first == draftVersion else { return Array(recorded) }
    var reader = PartReader(recorded)
    guard reader.byte() != nil, reader.byte() != nil, let kind = reader.byte().flatMap({ TrackedDatum.Kind(rawValue: $0) }),
      reader.part() != nil, reader.word() != nil, let experiment = reader.word(), reader.part() != nil,
      reader.part() != nil, reader.part() != nil
    else { return Array(recorded) }
    let head = recorded.view(from: 1, to: reader.position)
    let line = TrackedDatum.line(kind, Int64(bitPattern: UInt64(littleEndian: experiment)), reader.rest)
    return [version] + head + line
  }
}
