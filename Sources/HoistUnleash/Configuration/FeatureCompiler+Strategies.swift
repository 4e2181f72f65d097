internal import HoistBase
internal import HoistCore

/// Strategies (protocols/unleash.md C.3).
extension FeatureCompiler {
  mutating func compile(
    _ strategies: [StrategyDefinition], of feature: FeatureDefinition
  ) throws(RuleFailure) -> [StrategyRecord] {
    var records: [StrategyRecord] = []
    records.reserveCapacity(strategies.count)
    for (index, strategy) in strategies.enumerated() {
      do throws(RuleFailure) {
        records.append(try compile(strategy, of: feature))
      } catch {
        throw error.within("strategy \(index + 1)")
      }
    }
    return records
  }

  private mutating func compile(
    _ strategy: StrategyDefinition, of feature: FeatureDefinition
  ) throws(RuleFailure) -> StrategyRecord {
    var record = StrategyRecord(kind: .never)
    record.name = builder.text(strategy.name)
    (record.conditions, record.conditionCount) = try compile(strategy.constraints)
    try addSegments(strategy, &record)
    try addRule(strategy, feature, &record)
    record.reason = reason(of: record)
    return record
  }

  private mutating func addSegments(
    _ strategy: StrategyDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    var ranges: [SegmentRange] = []
    var seen: Set<Int32> = []
    for id in strategy.segments where seen.insert(id).inserted {
      guard let segment = segments[id] else { throw RuleFailure("there is no segment \(id)") }
      if let failure = segment.failure { throw failure }
      ranges.append(segment.range)
    }
    record.segments = builder.append(contentsOf: ranges)
    record.segmentCount = UInt32(ranges.count)
  }

  private mutating func addRule(
    _ strategy: StrategyDefinition, _ feature: FeatureDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    let name = strategy.name
    if name.reads("default") {
      record.kind = .always
    } else if name.reads("flexibleRollout") {
      try addFlexibleRollout(strategy, feature, &record)
    } else if name.reads("userWithId") {
      try addUsers(strategy, &record)
    } else if name.reads("gradualRolloutUserId") {
      try addGradualRollout(strategy, by: FieldNames.userID, &record)
    } else if name.reads("gradualRolloutSessionId") {
      try addGradualRollout(strategy, by: FieldNames.sessionID, &record)
    } else if name.reads("gradualRolloutRandom") {
      addDraw(strategy, &record)
    } else if name.reads("remoteAddress") {
      try addAddresses(strategy, &record)
    } else if name.reads("applicationHostname") {
      try addHostNames(strategy, &record)
    } else {
      addCustom(strategy, &record)
    }
  }

  private mutating func addFlexibleRollout(
    _ strategy: StrategyDefinition, _ feature: FeatureDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    guard let percentage = try percentage(strategy.parameter("rollout")) else { return }
    let group = strategy.parameter("groupId")
    if let group { try RuleFailure.checkQuoting(group, "the groupId", refusesQuotes: true) }
    record.borrowsGroup = group == nil
    setGroup(group ?? feature.name, &record)
    record.kind = .rollout
    record.percentage = percentage
    guard let stickiness = strategy.parameter("stickiness"), !stickiness.reads("default") else { return }
    try RuleFailure.checkQuoting(stickiness, "the stickiness", refusesQuotes: true)
    if stickiness.reads("random") {
      record.stickiness = .random
    } else {
      record.stickiness = .field
      record.field = field(stickiness)
    }
  }

  private mutating func addGradualRollout(
    _ strategy: StrategyDefinition, by fieldName: ByteView, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    // Without a groupId the percentage is ignored.
    guard let group = strategy.parameter("groupId"),
      let percentage = try percentage(strategy.parameter("percentage"))
    else { return }
    try RuleFailure.checkQuoting(group, "the groupId", refusesQuotes: true)
    setGroup(group, &record)
    record.kind = .rollout
    record.percentage = percentage
    record.stickiness = .field
    record.field = field(fieldName)
  }

  /// Above 100 the draw is always below.
  private func addDraw(_ strategy: StrategyDefinition, _ record: inout StrategyRecord) {
    guard let number = strategy.parameter("percentage").flatMap({ number($0) }) else { return }
    record.kind = .draw
    record.percentage = UInt32(min(number, 1_000))
  }

  private mutating func addUsers(
    _ strategy: StrategyDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    guard let text = strategy.parameter("userIds") else { return }
    let users = ParameterList.parts(text)
    for user in users { try RuleFailure.checkQuoting(user, "one of the userIds", refusesQuotes: false) }
    record.kind = .users
    record.operand = builder.append(valueList(users)).offset
    record.operandCount = UInt32(users.count)
  }

  private mutating func addAddresses(
    _ strategy: StrategyDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    guard let text = strategy.parameter("IPs") else { return }
    let parts = ParameterList.parts(text)
    for part in parts { try RuleFailure.checkQuoting(part, "one of the IPs", refusesQuotes: true) }
    let ranges = parts.compactMap { CIDR($0) }
    record.kind = .addresses
    record.field = field(FieldNames.remoteAddress)
    record.operand = builder.append(contentsOf: ranges).offset
    record.operandCount = UInt32(ranges.count)
  }

  /// The machine's name does not change: decided now.
  private func addHostNames(
    _ strategy: StrategyDefinition, _ record: inout StrategyRecord
  ) throws(RuleFailure) {
    guard let text = strategy.parameter("hostNames") else { return }
    let own = FullLowercase.text(options.hostName)
    for name in ParameterList.parts(text) {
      try RuleFailure.checkQuoting(name, "one of the hostNames", refusesQuotes: true)
      if FullLowercase.text(name).withBytes({ name in own.withBytes { $0.hasSameBytes(as: name) } }) {
        record.kind = .always
      }
    }
  }

  /// One that the host has not registered never holds.
  private mutating func addCustom(_ strategy: StrategyDefinition, _ record: inout StrategyRecord) {
    guard let registered = options.strategies[Array(strategy.name)] else { return }
    record.kind = .custom
    record.custom = resources.index(of: registered)
    var texts: [TextReference] = []
    for parameter in strategy.parameters {
      texts.append(builder.text(parameter.name))
      texts.append(builder.text(parameter.value))
    }
    record.operand = builder.append(contentsOf: texts).offset
    record.operandCount = UInt32(strategy.parameters.count)
  }

  private mutating func setGroup(_ group: ByteView, _ record: inout StrategyRecord) {
    record.groupName = builder.text(group)
    record.group = Murmur3State(group)
    record.group.append(0x3A)
  }

  /// An unsigned integer; nil for any other text, which makes the strategy false.
  private func number(_ text: ByteView) -> UInt64? {
    IntegerParser.parse(text, as: UInt64.self, signs: .plus).value
  }

  private func percentage(_ text: ByteView?) throws(RuleFailure) -> UInt32? {
    guard let text, let number = number(text) else { return nil }
    if number > 100 { throw RuleFailure("the percentage is above 100") }
    return UInt32(number)
  }

  /// Why a flag is on when this strategy holds.
  private func reason(of record: StrategyRecord) -> Reason {
    switch record.kind {
    case .rollout where record.percentage < 100: .split
    case .draw: .split
    case .always, .never, .rollout:
      record.conditionCount == 0 && record.segmentCount == 0 ? .static : .targetingMatch
    case .users, .addresses, .custom: .targetingMatch
    }
  }
}
