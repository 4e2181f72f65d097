internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// How a flag was decided, step by step, for people (4.1).
enum ServerExplanation {
  static func json(
    _ evaluation: borrowing Evaluation, _ snapshot: Snapshot, _ record: UnsafeRawPointer, _ context: FrozenContext?
  ) -> [UInt8] {
    let flag = snapshot.serverFlag(record)
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("evaluatedBy", "client")
    if !flag.pointee.traits.contains(.unlisted),
      var evaluator = ServerEvaluator(snapshot.base, context?.base, PrerequisiteList(of: flag))
    {
      writer.member("on", flag.pointee.traits.contains(.on))
      evaluator.isRepeated = true
      _ = evaluator.evaluate(flag)
      writePrerequisites(evaluator.watch, flag, snapshot, to: &writer)
      if flag.pointee.traits.contains(.on) { writeRules(of: flag, snapshot, context, to: &writer) }
    }
    writer.key("reason")
    ServerReason(evaluation.outcome).write(to: &writer, snapshot.base)
    if evaluation.variationIndex >= 0 { writer.member("variationIndex", evaluation.variationIndex) }
    writer.endObject()
    return writer.bytes
  }

  /// Those that were looked at, with the variation that each gives.
  private static func writePrerequisites(
    _ list: PrerequisiteList, _ flag: UnsafePointer<ServerFlagRecord>, _ snapshot: Snapshot, to writer: inout JSONWriter
  ) {
    if list.direct.isEmpty { return }
    let base = snapshot.base
    writer.array("prerequisites") { writer in
      for prerequisite in list.direct {
        let key = prerequisite.pointee.key.text.bytes(base)
        writer.object { writer in
          writer.member("key", key)
          writer.member("wanted", prerequisite.pointee.variation)
          let entry = list.entries.last { $0.dependent == flag && $0.flag.pointee.key.bytes(base).hasSameBytes(as: key) }
          if let given = entry?.result.variation, given >= 0 { writer.member("given", given) }
        }
      }
    }
  }

  /// Up to the first that is met.
  private static func writeRules(
    of flag: UnsafePointer<ServerFlagRecord>, _ snapshot: Snapshot, _ context: FrozenContext?, to writer: inout JSONWriter
  ) {
    guard flag.pointee.rules.count > 0, var evaluator = ServerEvaluator(snapshot.base, context?.base, NoWatch()) else { return }
    writer.array("rules") { writer in
      for rule in flag.pointee.rules.records(snapshot.base) {
        let holds = evaluator.allHold(rule.clauses, nil)
        if evaluator.hasEnded { return }
        writer.object { writer in
          if !rule.id.isNone { writer.member("id", rule.id.bytes(snapshot.base)) }
          writer.member("isMet", holds)
        }
        if holds { return }
      }
    }
  }
}
