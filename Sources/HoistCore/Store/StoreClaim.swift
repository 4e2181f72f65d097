internal import HoistBase

/// A claim of rows, from its request on. One whose call returns after its limit has rows that its caller was not told of, and
/// that are the store's all the same: the next claim hands them out. Guarded by the store's lock.
final class StoreClaim: @unchecked Sendable {
  let pipeline: ByteKey
  /// Which of the store's identities the rows are of; empty until the manager is called.
  var owner = ""
  /// The manager is being called.
  var isUnderWay = false
  /// nil until the manager has answered.
  var rows: [EventRow]?
  /// Subjects that were purged since the request.
  var purged: Set<ByteKey> = []
  /// Rows that are to be forgotten: delivered, but the manager still had them under a former identity, or has them.
  var gone: Set<String> = []

  init(pipeline: ByteKey) { self.pipeline = pipeline }
}

extension StoreState {
  /// - Returns: how much there is for its caller already.
  mutating func begin(_ claim: StoreClaim, owner: String) -> (rows: Int, bytes: Int) {
    (claim.owner, claim.isUnderWay) = (owner, true)
    if !claims.contains(where: { $0 === claim }) { claims.append(claim) }
    let rows = claims.filter { $0.pipeline == claim.pipeline && $0.owner == owner }.flatMap { $0.rows ?? [] }
    return (rows.count, rows.reduce(0) { $0 + $1.payload.count })
  }

  /// - Returns: the rows that are the caller's now; nil when the call has failed.
  mutating func conclude(_ claim: StoreClaim, isSuccess: Bool) -> [EventRow]? {
    guard isSuccess else {
      // While a call is stuck it may be this one, which has not come to the rows yet.
      if claim.rows == nil, !claim.isUnderWay, stuck == nil { claims.removeAll { $0 === claim } }
      return nil
    }
    func isOver(_ other: StoreClaim) -> Bool { other.pipeline == claim.pipeline && !other.isUnderWay }
    let done = claims.filter(isOver)
    claims.removeAll(where: isOver)
    // What a former identity held is free again.
    return done.filter { $0.owner == owner.id }.flatMap { claim in
      claim.rows?.filter { !claim.purged.contains(ByteKey($0.subject)) && !claim.gone.contains($0.id) } ?? []
    }
  }
}
