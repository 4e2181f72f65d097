/// The identity under which a store holds rows, and until when it may be sure to hold them.
struct LeasedOwner: Sendable {
  private final class Registration: Sendable {
    let nonce: UInt64
    init(_ random: UInt64) { nonce = LiveOwners.insert(random) }
    /// Freed without a release: any other owner may claim the rows.
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
    id = OwnerIdentity.make(nonce: registration.nonce).text
  }

  func eventOwner(_ options: Store.Options) -> EventOwner {
    EventOwner(id: id, leaseMilliseconds: options.leaseMilliseconds)
  }

  func hasLapsed(at now: Int64) -> Bool { holdsRows && now > leaseUntil }
}
