internal import HoistBase

/// Who a visitor is (protocols/flagship.md 5.7). Which id is sent where: 3.2, 3.4, 3.5.
struct VisitorIdentity: Sendable, Equatable {
  /// Of the known visitor while authenticated, else of the anonymous one.
  private(set) var visitorID: [UInt8]
  /// Of the anonymous visitor that the known one was; nil while anonymous.
  private(set) var anonymousID: [UInt8]?
  /// Earlier ids of the visitor, oldest first, as far as they are remembered: data stored under them is the visitor's,
  /// too.
  private(set) var formerIDs: [[UInt8]] = []

  private static let maximumFormerIDs = 32

  init(visitorID: [UInt8], anonymousID: [UInt8]? = nil) {
    self.visitorID = visitorID
    self.anonymousID = anonymousID
  }

  /// Whether both speak of the same visitor now.
  static func == (one: Self, other: Self) -> Bool {
    one.visitorID == other.visitorID && one.anonymousID == other.anonymousID
  }

  /// Lends both ids.
  @inline(__always)
  func withIDs<Result>(_ body: (_ visitorID: ByteView, _ anonymousID: ByteView?) -> Result) -> Result {
    visitorID.withUnsafeBytes { visitorID in
      guard let anonymousID else { return body(visitorID, nil) }
      return anonymousID.withUnsafeBytes { body(visitorID, $0) }
    }
  }

  /// The anonymous id of a visitor that is known from the start: the same in every run, and no other visitor's.
  static func anonymousID(of visitorID: [UInt8], environment: String) -> [UInt8] {
    var hash = SHA256()
    for part in [Array(environment.utf8), visitorID] {
      hash.update(part)
      hash.update([0])
    }
    return hash.finish().withBytes { digest in
      Array(
        UUIDv4(
          high: digest.loadUnaligned(as: UInt64.self).bigEndian,
          low: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
        ).text.utf8)
    }
  }

  /// FS-68. A visitor that is known already keeps its anonymous id.
  mutating func authenticate(as id: [UInt8]) {
    if anonymousID == nil { anonymousID = visitorID } else { remember(visitorID) }
    visitorID = id
  }

  /// FS-69; without effect on an anonymous visitor.
  mutating func unauthenticate() {
    guard let anonymous = anonymousID else { return }
    remember(visitorID)
    (visitorID, anonymousID) = (anonymous, nil)
  }

  private mutating func remember(_ id: [UInt8]) {
    formerIDs.removeAll { $0 == id }
    if formerIDs.count >= Self.maximumFormerIDs { formerIDs.removeFirst() }
    formerIDs.append(id)
  }

  /// Every id under which data of the visitor may be stored, the current one last (5.6).
  var allIDs: [[UInt8]] {
    (formerIDs + (anonymousID.map { [$0] } ?? [])).filter { $0 != visitorID } + [visitorID]
  }
}
