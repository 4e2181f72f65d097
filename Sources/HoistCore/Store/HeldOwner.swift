/// The identity under which a store holds rows, and until when it may be sure to hold them.
struct HeldOwner: Sendable {
  private final class Registration: Sendable {
    let nonce: UInt64
    init(_ nonce: UInt64) {
      self.nonce = nonce
      LiveOwners.insert(nonce)
    }
    /// Gone without a release: the rows are anyone's.
    deinit { LiveOwners.remove(nonce) }
  }

  private let registration: Registration
  let id: String
  /// Rows were put or claimed under this identity.
  var holdsRows = false
  /// Monotonic nanoseconds, from before the call that prolonged it.
  var leaseUntil = Int64.min

  init(nonce: UInt64) {
    registration = Registration(nonce)
    id = OwnerIdentity.make(nonce: nonce).text
  }

  func eventOwner(_ options: Store.Options) -> EventOwner {
    EventOwner(id: id, leaseMilliseconds: options.leaseMilliseconds)
  }

  func hasLapsed(at now: Int64) -> Bool { holdsRows && now > leaseUntil }
}
