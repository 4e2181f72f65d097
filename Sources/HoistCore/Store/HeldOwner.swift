/// The identity under which a store holds rows, and until when it may be sure to hold them.
struct HeldOwner: Sendable {
  private let owner: LiveOwner
  var id: String { owner.name }
  /// Rows were put or claimed under this identity.
  var holdsRows = false
  /// Monotonic nanoseconds, from before the call that prolonged it.
  var leaseUntil = Int64.min

  init(nonce: UInt64) {
    owner = LiveOwner(nonce: nonce)
  }

  func eventOwner(_ options: Store.Options) -> EventOwner {
    EventOwner(id: id, leaseMilliseconds: options.leaseMilliseconds)
  }

  func hasLapsed(at now: Int64) -> Bool { holdsRows && now > leaseUntil }
}
