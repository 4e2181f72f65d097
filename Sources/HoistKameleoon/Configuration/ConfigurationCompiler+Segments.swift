internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Segments as programs (protocols/kameleoon.md 3.11).
extension ConfigurationCompiler {
  mutating func addSegments(_ list: JSONNode?) {
    let nodes = elements(list, "segments")
    root.segments = builder.reserve(nodes.count, of: SegmentRecord.self)
    root.segmentCount = UInt32(clamping: nodes.count)
    // Conditions may ask for segments that come later.
    var everything = Fingerprint()
    for (index, node) in nodes.enumerated() {
      everything.add(node.source)
      segments[node["id"]?.wholeNumber ?? 0] = (root.segments.at(index), Fingerprint(), false)
    }
    var (areFlagsAsked, askers): (Bool, [Int64]) = (false, [])
    for (index, node) in nodes.enumerated() {
      let id = node["id"]?.wholeNumber ?? 0
      let place = ElementPlace().inside("segment", .noBytes, index)
      var record = SegmentRecord(id: id, isTracked: node["audienceTracking"]?.bool ?? false)
      var kinds: Set<ConditionKind> = []
      let steps = program(node["conditionsData"], place, &kinds)
      record.asksAssignments = !kinds.isDisjoint(with: [.targetExperiment, .targetFeatureFlag, .exclusiveExperiment, .segment])
      record.steps = builder.append(contentsOf: steps)
      record.stepCount = UInt32(clamping: steps.count)
      let segmentPlace = root.segments.at(index)
      builder.store(record, at: segmentPlace)
      var fingerprint = Fingerprint()
      fingerprint.add(node.source)
      if kinds.contains(.targetFeatureFlag) { areFlagsAsked = true }
      guard segments[id]?.place == segmentPlace else { continue }
      segments[id] = (segmentPlace, fingerprint, record.asksAssignments)
      if !kinds.isDisjoint(with: [.targetFeatureFlag, .segment]) { askers.append(id) }
    }
    // A flag that refers to other segments, or to flags, changes with them.
    if areFlagsAsked { for flag in flags { everything.add(flag.source) } }
    for id in askers { segments[id]?.fingerprint.add(everything.value) }
  }

  private mutating func program(_ data: JSONNode?, _ place: ElementPlace, _ kinds: inout Set<ConditionKind>) -> [Step] {
    guard let data = data?.unlessNull else { return [] }
    var steps: [Step] = []
    let levels = elements(data["firstLevel"], "firstLevel", place)
    let operators = operators(data["firstLevelOrOperators"])
    emit(levels.count, operators, &steps) { compiler, index, steps in
      let level = levels[index]
      let conditions = compiler.elements(level["conditions"], "conditions", place)
      if conditions.isEmpty { return steps.append(Step(operation: .hold)) }
      compiler.emit(conditions.count, compiler.operators(level["orOperators"]), &steps) { compiler, index, steps in
        let record = compiler.condition(conditions[index], place.inside("condition", .noBytes, index))
        kinds.insert(record.kind)
        steps.append(Step(operation: .test, target: compiler.builder.append(record).offset))
      }
    }
    return steps
  }

  private func operators(_ list: JSONNode?) -> [Bool] { list?.array.map { $0.map { $0.bool ?? false } } ?? [] }

  /// The vendor's way through a list and its operators: after an `or` comes the rest; after an `and` one more item, and
  /// then what the next operator says of the two and the rest. What an operator is missing for is joined by `and`.
  private mutating func emit(
    _ count: Int, _ operators: [Bool], _ steps: inout [Step],
    _ item: (inout ConfigurationCompiler, Int, inout [Step]) -> Void
  ) {
    var skips: [Int] = []
    var at = 0
    func skip(_ operation: Step.Operation, _ steps: inout [Step]) -> Int {
      steps.append(Step(operation: operation))
      return steps.count - 1
    }
    func isOr(_ index: Int) -> Bool { index < operators.count && operators[index] }
    while at < count {
      item(&self, at, &steps)
      at += 1
      if at == count { break }
      if isOr(at - 1) {
        skips.append(skip(.skipIfTrue, &steps))
        continue
      }
      let second = skip(.skipIfFalse, &steps)
      item(&self, at, &steps)
      at += 1
      steps[second].target = UInt32(clamping: steps.count)
      if at < count { skips.append(skip(isOr(at - 1) ? .skipIfTrue : .skipIfFalse, &steps)) }
    }
    for place in skips { steps[place].target = UInt32(clamping: steps.count) }
  }
}
