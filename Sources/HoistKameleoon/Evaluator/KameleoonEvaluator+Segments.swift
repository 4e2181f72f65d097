internal import HoistBase
internal import HoistCore

/// Which visitors match a segment (protocols/kameleoon.md 3.11).
extension KameleoonEvaluator {
  /// How many segments may ask for each other.
  private static var maximumDepth: Int { 32 }

  /// - Parameter current: the flag or experiment of the segment; nil where the segment is evaluated by itself.
  @inline(__always)
  mutating func matches(_ place: Place<SegmentRecord>, current: UnsafePointer<RuleRecord>?, depth: Int = 0) -> Bool {
    let segment = base.at(place)
    let steps = base.at(segment.pointee.steps)
    let count = Int(segment.pointee.stepCount)
    var holds = true
    var at = 0
    while at < count, budget.spend(1) {
      let step = steps[at]
      at &+= 1
      switch step.operation {
      case .test:
        let condition = base.at(step.condition)
        holds = self.holds(condition, current, depth) != condition.pointee.isExcluded
        recorder.note { [facts] in $0.condition(condition, of: facts.content, holds: holds) }
        if Recorder.isWatching { budget.limit(explanationOf: recorder.byteCount) }
      case .hold: holds = true
      case .skipIfTrue: if holds { at = Int(step.target) }
      case .skipIfFalse: if !holds { at = Int(step.target) }
      }
    }
    recorder.note { $0.segment(segment, matches: holds) }
    return holds
  }

  @inline(__always)
  private mutating func holds(
    _ condition: UnsafePointer<ConditionRecord>, _ current: UnsafePointer<RuleRecord>?, _ depth: Int
  ) -> Bool {
    guard budget.spend(StepBudget.condition) else { return false }
    return switch condition.pointee.kind {
    case .never, .sdkLanguage: false
    case .always: true
    case .customDatum: holdsForCustomDatum(condition)
    case .device: facts.content.device.map { Int64($0.rawValue) == condition.pointee.integer } ?? false
    case .operatingSystem: facts.content.operatingSystem.map { Int64($0.rawValue) == condition.pointee.integer } ?? false
    case .visitorCode: facts.content.code.withUnsafeBytes { holds(condition.pointee.value, $0) }
    case .segment: matchesInside(condition.pointee.segment, current, depth &+ 1)
    default: holdsForHistory(condition, current)
    }
  }

  @inline(never)
  private mutating func matchesInside(
    _ segment: Place<SegmentRecord>, _ current: UnsafePointer<RuleRecord>?, _ depth: Int
  ) -> Bool {
    guard depth <= Self.maximumDepth else {
      cuts &+= 1
      return false
    }
    // Where each refers to the next one twice, a few segments would take forever.
    let ordinal = UInt32(
      truncatingIfNeeded: Int(segment.offset &- root.pointee.segments.offset) / MemoryLayout<SegmentRecord>.stride)
    if !Recorder.isWatching, let known = segments[ordinal] { return known }
    let before = cuts
    let matches = matches(segment, current: current, depth: depth)
    if cuts == before { segments[ordinal] = matches }
    return matches
  }

  @inline(__always)
  mutating func holds(_ test: TextTest, _ text: ByteView) -> Bool {
    guard test.match == .contains ? budget.spend(2, searching: text.count) : budget.spend(1, reading: text.count) else {
      return false
    }
    switch test.match {
    case .exact: return text.hasSameBytes(as: test.text.bytes(base))
    case .contains: return text.containsBytes(test.text.bytes(base))
    case .regex: return holds(expression: test.regex, text)
    default: return false
    }
  }

  @inline(never)
  private mutating func holds(expression: Place<RegexReference>, _ text: ByteView) -> Bool {
    guard !expression.isNone else { return false }
    return base.at(expression).pointee.isFound(in: text, &budget)
  }

  /// Any value suffices.
  @inline(__always)
  private mutating func holdsForCustomDatum(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let place = place(ofCustomData: condition.pointee.integer)
    if condition.pointee.match == .undefined { return place == nil }
    guard let place else { return false }
    let count = facts.content.customData[place].values.count
    var index = 0
    while index < count, budget.spend(2) {
      let verdict = facts.content.customData[place].values[index].withUnsafeBytes { holdsForValue(condition, $0) }
      if let verdict { return verdict }
      index &+= 1
    }
    return false
  }

  /// - Returns: nil to go on with the next value.
  @inline(__always)
  private mutating func holdsForValue(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool? {
    switch condition.pointee.match {
    case .exact, .contains, .regex: holds(condition.pointee.value, value) ? true : nil
    case .isTrue: value.reads("true") ? true : nil
    case .isFalse: value.reads("false") ? true : nil
    case .equal, .greater, .lower: holdsForNumber(condition, value)
    case .among: isAmong(condition, value) ? true : nil
    case .never, .any, .undefined: false
    }
  }

  @inline(never)
  private mutating func holdsForNumber(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool? {
    guard condition.pointee.hasNumber, budget.spend(2, parsing: value.count) else { return false }
    let isStrict = root.pointee.isStrict
    guard let number = TextNumber.parse(value, isStrict: isStrict) else {
      // The vendor's SDK ends the test here (A18).
      return isStrict ? false : nil
    }
    let wanted = condition.pointee.number
    let holds =
      switch condition.pointee.match {
      case .equal: (number - wanted).magnitude < 1e-9
      case .greater: number > wanted
      default: number < wanted
      }
    return holds ? true : nil
  }

  @inline(never)
  private mutating func isAmong(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool {
    guard budget.spend(2 &* Int(condition.pointee.listCount)) else { return false }
    let list = base.at(condition.pointee.texts)
    for index in 0..<Int(condition.pointee.listCount) where list[index].bytes(base).hasSameBytes(as: value) { return true }
    return false
  }
}

/// Which audiences a visitor belongs to (protocols/kameleoon.md 3.11; KAM-B12).
extension KameleoonEvaluator {
  /// Ids of the segments that the site follows and that match, in the order of the configuration.
  /// - Returns: nil when to find out costs more than an evaluation may.
  mutating func audiences() -> [Int64]? {
    let segments = base.at(root.pointee.segments)
    budget = StepBudget(forParts: root.pointee.segmentCount)
    let matching: [Int64] = (0..<Int(root.pointee.segmentCount)).compactMap { index in
      guard segments[index].isTracked, matches(root.pointee.segments.at(index), current: nil) else { return nil }
      return segments[index].id
    }
    return budget.isExceeded ? nil : matching
  }
}
