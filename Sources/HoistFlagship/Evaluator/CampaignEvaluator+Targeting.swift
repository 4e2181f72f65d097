internal import HoistBase
internal import HoistCore

/// The targeting of a group (4.3).
extension CampaignEvaluator {
  /// One of its targeting groups matches; without any, no visitor does.
  @inline(__always)
  mutating func matches(_ group: UnsafePointer<GroupRecord>) -> Bool {
    let groups = base.at(group.pointee.targetingGroups)
    var matches = false
    var index = 0
    while index < Int(group.pointee.targetingGroupCount), budget.spend(1) {
      if self.matches(groups + index) {
        matches = true
        if !Recorder.isWatching { break }
      }
      index &+= 1
    }
    return matches
  }

  /// All of its targetings hold; an empty list does.
  @inline(__always)
  private mutating func matches(_ group: UnsafePointer<TargetingGroupRecord>) -> Bool {
    recorder.note { $0.beginTargetings() }
    let targetings = base.at(group.pointee.targetings)
    var matches = true
    var index = 0
    while index < Int(group.pointee.targetingCount), budget.spend(StepBudget.condition) {
      if !holds(targetings + index) {
        matches = false
        if !Recorder.isWatching { break }
      }
      index &+= 1
    }
    recorder.note { $0.endTargetings(matches) }
    return matches
  }

  @inline(__always)
  private mutating func holds(_ targeting: UnsafePointer<TargetingRecord>) -> Bool {
    let actual: Comparand?
    switch targeting.pointee.source {
    case .everybody:
      recorder.note { $0.targeting(targeting, actual: nil, holds: true) }
      return true
    case .visitor: actual = Comparand(text: visitor, hash: visitorHash)
    case .attribute: actual = isOfCall ? completed(targeting) : given(targeting)
    }
    let holds = holds(targeting, actual)
    recorder.note { $0.targeting(targeting, actual: actual, holds: holds) }
    if Recorder.isWatching { budget.limit(explanationOf: recorder.byteCount) }
    return holds
  }

  @inline(__always)
  private func given(_ targeting: UnsafePointer<TargetingRecord>) -> Comparand? {
    context?.find(targeting.pointee.key.bytes(base), hash: targeting.pointee.keyHash).flatMap { Comparand($0) }
  }

  /// What a visitor of the context would have (4.6): what the SDK says stands over the host's, and values of wrong types are
  /// not taken.
  @inline(never)
  private func completed(_ targeting: UnsafePointer<TargetingRecord>) -> Comparand? {
    if !targeting.pointee.automatic.isNone {
      let own = base.at(targeting.pointee.automatic)
      return Comparand(own.pointee.value, own.pointee.text.bytes(base))
    }
    let given = given(targeting)
    guard let key = targeting.pointee.predefined, let value = given else { return given }
    return key.takes(value) ? value : nil
  }

  /// An absent key makes every targeting false, but those that ask for its presence.
  @inline(__always)
  private mutating func holds(_ targeting: UnsafePointer<TargetingRecord>, _ actual: Comparand?) -> Bool {
    let test = targeting.pointee.test
    if test == .present { return actual != nil }
    if test == .absent { return actual == nil }
    guard let actual, budget.spend(0, reading: actual.text.count) else { return false }
    let targets = base.at(targeting.pointee.targets)
    if !targeting.pointee.isList {
      return targeting.pointee.targetCount > 0 && budget.spend(for: test, actual.text.count) && holds(test, actual, targets)
    }
    return holdsForList(targeting, targets, actual)
  }

  @inline(never)
  private mutating func holdsForList(
    _ targeting: UnsafePointer<TargetingRecord>, _ targets: UnsafePointer<TargetRecord>, _ actual: Comparand
  ) -> Bool {
    let test = targeting.pointee.test
    let rule = test.listRule
    if rule == .never { return false }
    // Of a looked-up list, texts that are not the visitor's decide nothing.
    if actual.plain.kind == .string, targeting.pointee.texts.find(actual.text, hash: actual.plain.textHash, in: base) != nil {
      return rule == .any
    }
    for index in 0..<Int(targeting.pointee.targetCount) {
      guard budget.spend(for: test, actual.text.count) else { return false }
      if holds(test, actual, targets + index) != (rule == .all) { return rule == .any }
    }
    return rule == .all
  }

  @inline(__always)
  private func holds(_ test: TargetingTest, _ actual: Comparand, _ target: UnsafePointer<TargetRecord>) -> Bool {
    let target = Comparand(target.pointee.value, target.pointee.text.bytes(base))
    switch test {
    case .never, .present, .absent: return false
    case .equals: return actual.equals(target) ?? false
    case .notEquals: return !(actual.equals(target) ?? false)
    case .greater, .less, .greaterOrEqual, .lessOrEqual:
      guard let relation = test.relation, let order = actual.order(against: target) else { return false }
      return relation.allows(order)
    default: break
    }
    guard actual.plain.kind == .string, target.plain.kind == .string else { return false }
    switch test {
    case .contains: return actual.text.containsBytes(target.text)
    case .notContains: return !actual.text.containsBytes(target.text)
    case .startsWith: return actual.text.hasPrefix(target.text)
    case .endsWith: return actual.text.hasSuffix(target.text)
    default: return holdsForVersions(test, actual.text, target.text)
    }
  }

  @inline(never)
  private func holdsForVersions(_ test: TargetingTest, _ actual: ByteView, _ target: ByteView) -> Bool {
    guard let order = TargetedVersion.order(actual, against: target) else { return false }
    if test == .versionNotEquals { return order != .equal }
    return test.relation?.allows(order) ?? false
  }
}

extension StepBudget {
  /// What a comparison costs.
  @inline(__always)
  fileprivate mutating func spend(for test: TargetingTest, _ bytes: Int) -> Bool {
    if test.isOfVersions { return spend(50, parsing: bytes) }
    return spend(2, searching: test == .contains || test == .notContains ? bytes : 0)
  }
}
