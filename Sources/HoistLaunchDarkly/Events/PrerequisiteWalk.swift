internal import HoistBase

/// The prerequisites of an evaluation in the order of their events (4.2.5, LD-82): each before the flag that wants it,
/// in list order, depth first. One that is already on the path is skipped, so cycles end; one reached on two paths
/// counts twice. Without recursion, and bounded: a diamond of many levels would take forever.
struct PrerequisiteWalk {
  /// Prerequisites of one evaluation; further ones are left out.
  static let maximumVisits = 1000

  private struct Step {
    let key: ByteView
    let flag: FlagFacts?
    var next = 0
  }

  /// - Parameters:
  ///   - flag: the flag that was asked for; it is not visited itself.
  ///   - find: the stored flag of a key; nil when there is none.
  ///   - visit: gets each prerequisite; its flag is nil when it is unknown.
  static func each(
    of flag: FlagFacts, find: (ByteView) -> FlagFacts?, visit: (_ key: ByteView, _ flag: FlagFacts?) -> Void
  ) {
    var path = [Step(key: flag.key, flag: flag)]
    var visits = 0
    while var step = path.popLast() {
      let wanted = step.flag?.prerequisites ?? []
      if step.next < wanted.count, visits < maximumVisits {
        let key = wanted[step.next]
        step.next += 1
        path.append(step)
        guard !path.contains(where: { $0.key.hasSameBytes(as: key) }) else { continue }
        visits += 1
        path.append(Step(key: key, flag: find(key)))
      } else if !path.isEmpty {
        visit(step.key, step.flag)
      }
    }
  }
}
