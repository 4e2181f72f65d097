internal import HoistBase
internal import HoistCore

/// Whom a segment means (protocols/kameleoon.md 3.11).
extension KameleoonEvaluator {
  /// How many segments may ask for each other.
  private static var maximumDepth: Int { 32 }
  static var maximumSteps: Int { 100_000 }

  /// - Parameter current: whose segment it is; nil where it is asked for by itself.
  @inline(__always)
  mutating func matches(_ offset: UInt32, current: UnsafePointer<RuleRecord>?, depth: Int = 0) -> Bool {
    let segment: UnsafePointer<SegmentRecord> = base.at(offset)
    let steps: UnsafePointer<Step> = base.at(segment.pointee.steps)
    let count = Int(segment.pointee.stepCount)
    var holds = true
    var at = 0
    while at < count {
      let step = steps[at]
      at &+= 1
      switch step.operation {
      case .test:
        let condition: UnsafePointer<ConditionRecord> = base.at(step.target)
        holds = self.holds(condition, current, depth) != condition.pointee.isExcluded
        recorder.condition(condition, holds: holds)
      case .hold: holds = true
      case .skipIfTrue: if holds { at = Int(step.target) }
      case .skipIfFalse: if !holds { at = Int(step.target) }
      }
    }
    recorder.segment(segment, matches: holds)
    return holds
  }

  @inline(__always)
  private mutating func holds(
    _ condition: UnsafePointer<ConditionRecord>, _ current: UnsafePointer<RuleRecord>?, _ depth: Int
  ) -> Bool {
    switch condition.pointee.kind {
    case .never, .sdkLanguage: false
    case .always: true
    case .customDatum: holdsForCustomDatum(condition)
    case .device: facts.content.device.map { Int64($0.rawValue) == condition.pointee.integer } ?? false
    case .operatingSystem: facts.content.operatingSystem.map { Int64($0.rawValue) == condition.pointee.integer } ?? false
    case .visitorCode: facts.content.code.withUnsafeBytes { holds(condition.pointee.value, $0) }
    case .segment: depth < Self.maximumDepth && matchesInside(condition.pointee.list, current, depth &+ 1)
    default: holdsForHistory(condition, current)
    }
  }

  @inline(never)
  private mutating func matchesInside(_ segment: UInt32, _ current: UnsafePointer<RuleRecord>?, _ depth: Int) -> Bool {
    let record: UnsafePointer<SegmentRecord> = base.at(segment)
    // Where each asks for the next one twice, a few segments would take for ever.
    stepsLeft -= 1 + Int(record.pointee.stepCount)
    return stepsLeft > 0 && matches(segment, current: current, depth: depth)
  }

  @inline(__always)
  func holds(_ test: TextTest, _ text: ByteView) -> Bool {
    switch test.match {
    case .exact: return text.hasSameBytes(as: test.text.bytes(base))
    case .contains: return text.containsBytes(test.text.bytes(base))
    case .regex: return holds(expression: test.regex, text)
    default: return false
    }
  }

  @inline(never)
  private func holds(expression: UInt32, _ text: ByteView) -> Bool {
    guard expression != 0 else { return false }
    let reference: UnsafePointer<RegexReference> = base.at(expression)
    var nothing: UInt8 = 0
    return withUnsafePointer(to: &nothing) { nothing in
      let start = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
      return reference.pointee.match(reference.pointee.code, start, text.count) == 1
    }
  }

  /// Any value suffices.
  @inline(__always)
  private func holdsForCustomDatum(_ condition: UnsafePointer<ConditionRecord>) -> Bool {
    let place = place(ofCustomData: condition.pointee.integer)
    if condition.pointee.match == .undefined { return place == nil }
    guard let place else { return false }
    let count = facts.content.customData[place].values.count
    var index = 0
    while index < count {
      let verdict = facts.content.customData[place].values[index].withUnsafeBytes { holdsForValue(condition, $0) }
      if let verdict { return verdict }
      index &+= 1
    }
    return false
  }

  /// - Returns: nil to go on with the next value.
  @inline(__always)
  private func holdsForValue(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool? {
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
  private func holdsForNumber(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool? {
    guard condition.pointee.hasNumber else { return false }
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
  private func isAmong(_ condition: UnsafePointer<ConditionRecord>, _ value: ByteView) -> Bool {
    let list: UnsafePointer<TextReference> = base.at(condition.pointee.list)
    for index in 0..<Int(condition.pointee.listCount) where list[index].bytes(base).hasSameBytes(as: value) { return true }
    return false
  }
}
