internal import HoistBase

/// How long stored rows are surely the store's own.
extension Store {
  /// Counts the identities so far. A change means that the lease had run out unnoticed, as when the process was stopped
  /// for long: stored rows may have another owner, and have to be claimed again before they may be sent.
  var ownerEpoch: UInt64 { withState { $0.ownerEpoch } }

  /// What marks as this store's own what it keeps beside that of other processes: an `OwnerIdentity`, so that they know
  /// whether it still lives.
  public var ownerID: String { withState { $0.owner.id } }

  /// Whether stored rows are surely the store's own. While the manager fails there is no knowing,
  /// and delivery comes first.
  var holdsItsRows: Bool {
    let now = clock.monotonicNanoseconds
    return withState { !$0.owner.hasLapsed(at: now) || $0.isFailing || $0.stuck != nil || $0.end != nil || $0.isClosed }
  }

  /// Prolongs the lease now, under a new identity when it had run out.
  func renewLease(completion: @escaping @Sendable () -> Void = {}) {
    call(.owner) { manager, owner throws(CacheFailure) in
      try manager.renewLease(owner: owner)
    } answer: { [weak self] _ in
      self?.keepRenewing()
      completion()
    }
  }

  /// On the lane: calls the manager for the present owner, or, when its lease has run out, for a new
  /// one, which becomes the present one if that succeeds.
  func actAsOwner<Value>(
    _ manager: any CacheManager, _ body: (any CacheManager, EventOwner) throws(CacheFailure) -> Value
  ) throws(CacheFailure) -> Value {
    let began = clock.monotonicNanoseconds
    let acting = owner(at: began)
    let value = try body(manager, acting.eventOwner(options))
    acted(acting, since: began)
    return value
  }

  @inline(never)
  private func owner(at began: Int64) -> LeasedOwner {
    let nonce = entropy.next()
    return withState { $0.owner.hasLapsed(at: began) ? LeasedOwner(nonce: nonce) : $0.owner }
  }

  @inline(never)
  private func acted(_ acting: LeasedOwner, since began: Int64) {
    let until = began.addingReportingOverflow(options.leaseMilliseconds &* 1_000_000)
    var acting = acting
    acting.holdsRows = true
    acting.leaseUntil = until.overflow ? .max : until.partialValue
    withState {
      if $0.owner.id != acting.id {
        $0.formerOwners = $0.formerOwners.suffix(Self.maximumFormerOwners - 1) + [$0.owner.eventOwner(options)]
        $0.ownerEpoch += 1
      }
      $0.owner = acting
    }
    keepRenewing()
  }

  private static var maximumFormerOwners: Int { 16 }

  private func keepRenewing() {
    let isNew = withState {
      guard !$0.isRenewing, !$0.isClosed, $0.end == nil else { return false }
      $0.isRenewing = true
      return true
    }
    guard isNew else { return }
    _ = scheduler.schedule(afterMilliseconds: max(1, options.leaseMilliseconds / 3)) { [weak self] in
      guard let self else { return }
      let goesOn = withState {
        $0.isRenewing = false
        return $0.owner.holdsRows && !$0.isClosed
      }
      if goesOn { renewLease() }
    }
  }
}
