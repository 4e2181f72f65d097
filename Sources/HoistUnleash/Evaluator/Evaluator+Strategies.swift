internal import HoistBase
internal import HoistCore

/// Strategies (protocols/unleash.md C.3).
extension Evaluator {
  /// Its constraints, those of its segments, and its rule hold.
  /// - Parameter child: the dependencies of the flag through which the strategy's flag is looked at, or nil.
  @inline(__always)
  mutating func holds(
    _ strategy: UnsafePointer<StrategyRecord>, seenThrough child: UnsafePointer<DependencyList>?
  ) -> Bool {
    recorder.note { [base] in $0.beginStrategy(strategy, base) }
    let outcome = constraintsHold(strategy) && ruleHolds(strategy, seenThrough: child)
    recorder.note { $0.endStrategy(outcome) }
    return outcome
  }

  @inline(__always)
  private mutating func constraintsHold(_ strategy: UnsafePointer<StrategyRecord>) -> Bool {
    if strategy.pointee.conditionCount > 0 {
      recorder.note { $0.beginConstraints() }
      let hold = allHold(strategy.pointee.conditions, strategy.pointee.conditionCount)
      recorder.note { $0.endConstraints() }
      if !hold { return false }
    }
    return strategy.pointee.segmentCount == 0 || segmentsHold(strategy)
  }

  @inline(never)
  private mutating func segmentsHold(_ strategy: UnsafePointer<StrategyRecord>) -> Bool {
    let segments = base.at(strategy.pointee.segments)
    recorder.note { $0.beginSegments() }
    defer { recorder.note { $0.endSegments() } }
    for index in 0..<Int(strategy.pointee.segmentCount) {
      if !holds(segments + index) { return false }
    }
    return true
  }

  private mutating func holds(_ segment: UnsafePointer<SegmentRange>) -> Bool {
    if !Recorder.isWatching, let known = segments[segment.pointee.ordinal] { return known }
    guard budget.spend(StepBudget.condition) else { return false }
    recorder.note { $0.beginSegment(segment) }
    let hold = allHold(segment.pointee.conditions, segment.pointee.count)
    recorder.note { $0.endSegment(hold) }
    segments[segment.pointee.ordinal] = hold
    return hold
  }

  @inline(__always)
  private mutating func ruleHolds(
    _ strategy: UnsafePointer<StrategyRecord>, seenThrough child: UnsafePointer<DependencyList>?
  ) -> Bool {
    switch strategy.pointee.kind {
    case .always: return true
    case .never: return false
    case .rollout: return rolloutHolds(strategy, seenThrough: child)
    case .users:
      let root = root
      let user = find(base.at(root.pointee.userID))
      recorder.note { $0.operand(user) }
      guard let user else { return false }
      return contains(base.at(strategy.pointee.users), user)
    case .draw: return drawHolds(strategy)
    case .addresses: return addressHolds(strategy)
    case .custom: return customHolds(strategy)
    }
  }

  @inline(__always)
  private mutating func rolloutHolds(
    _ strategy: UnsafePointer<StrategyRecord>, seenThrough child: UnsafePointer<DependencyList>?
  ) -> Bool {
    // Quirk: seen through a child, a rollout without a groupId hashes with the child's name (C.9).
    var group = strategy.pointee.group
    if let child, strategy.pointee.borrowsGroup { group = child.pointee.childGroup }
    switch strategy.pointee.stickiness {
    case .byDefault:
      if let identity = findDefaultIdentity() { return isIn(strategy, group, identity.bytes) }
    case .field:
      let field = base.at(strategy.pointee.field)
      if let value = find(field) { return isIn(strategy, group, value.bytes) }
      if field.pointee.role == .currentTime { return isInAtPresent(strategy, group) }
      recorder.note { $0.operand(nil) }
      return false
    case .random: break
    }
    return isInByDraw(strategy, group)
  }

  @inline(__always)
  private mutating func isIn(
    _ strategy: UnsafePointer<StrategyRecord>, _ group: Murmur3State, _ identity: ByteView
  ) -> Bool {
    _ = budget.spend(0, searching: identity.count)
    let bucket = group.finish(appending: identity) % 100 &+ 1
    recorder.note { [base] in $0.rollout(strategy, identity, bucket, base) }
    return bucket <= strategy.pointee.percentage
  }

  @inline(never)
  private mutating func isInAtPresent(_ strategy: UnsafePointer<StrategyRecord>, _ group: Murmur3State) -> Bool {
    RFC3339.text(unixMilliseconds: unixMilliseconds).withBytes { isIn(strategy, group, $0) }
  }

  /// Hashes the text of a number from 1 to 9999 as if it were the identity.
  @inline(never)
  private mutating func isInByDraw(_ strategy: UnsafePointer<StrategyRecord>, _ group: Murmur3State) -> Bool {
    let number = Int(draw(below: 9_999)) &+ 1
    return withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { text in
      var first = 4
      var rest = number
      while rest > 0, first > 0 {
        first &-= 1
        text[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      return isIn(strategy, group, ByteView(text).view(from: first, to: 4))
    }
  }

  @inline(never)
  private mutating func drawHolds(_ strategy: UnsafePointer<StrategyRecord>) -> Bool {
    let number = UInt32(truncatingIfNeeded: draw(below: 99)) &+ 1
    recorder.note { $0.draw(number, strategy) }
    return number < strategy.pointee.percentage
  }

  @inline(never)
  private mutating func addressHolds(_ strategy: UnsafePointer<StrategyRecord>) -> Bool {
    let value = find(base.at(strategy.pointee.field))
    recorder.note { $0.operand(value) }
    guard let value else { return false }
    return isInAny(strategy.pointee.addresses, strategy.pointee.operandCount, address: value.bytes)
  }

  @inline(never)
  private mutating func customHolds(_ strategy: UnsafePointer<StrategyRecord>) -> Bool {
    let call = UnleashStrategyCall(
      base: base, parameters: strategy.pointee.parameters, parameterCount: Int(strategy.pointee.operandCount),
      context: context.map { FrozenContext($0) }, inherited: inherited.map { FrozenContext($0) })
    let outcome = SnapshotResources.of(base)?.strategy(at: strategy.pointee.custom)?.isEnabled(call) ?? false
    recorder.note { $0.custom(outcome) }
    return outcome
  }
}
