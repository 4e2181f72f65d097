internal import HoistBase
internal import HoistCore

/// What tells which flags another revision changes: all that can change their decisions. Layers, names of audiences
/// and what stands for the whole project make no difference to them.
extension DatafileCompiler {
  /// - Parameter rules: the flag's experiments and delivery rules.
  func fingerprint(of flag: FlagDefinition, _ record: FlagRecord, _ rules: [Int]) -> UInt64 {
    var fingerprint = holdoutsFingerprint
    fingerprint.add(record.rollout.rawValue)
    fingerprint.add(record.experimentCount)
    for rule in rules { fingerprint.add(self.rules[rule].fingerprint) }
    fingerprint.add(flag.variables.count)
    for variable in flag.variables { fingerprint.add(variable) }
    return fingerprint.value
  }

  /// - Parameter record: without what it is in, which the others are.
  func fingerprint(
    of rule: RuleDefinition, _ record: RuleRecord, _ group: CompiledGroup?, _ holdouts: [CompiledRule]
  ) -> UInt64 {
    var fingerprint = Fingerprint(continuing: record.idHash)
    fingerprint.add(record.keyHash)
    fingerprint.add(rule.isRunning)
    fingerprint.add(record.isTargetedDelivery)
    fingerprint.add(rule.excludesTargetedDeliveries)
    fingerprint.add(group?.fingerprint ?? 0)
    fingerprint.add(builder.value(at: record.audience, as: Program.self)?.fingerprint ?? 0)
    fingerprint.add(rule.variations.count)
    for variation in rule.variations { fingerprint.add(variation) }
    fingerprint.add(rule.allocation)
    fingerprint.add(rule.whitelist.count)
    for entry in rule.whitelist {
      fingerprint.add(entry.user)
      fingerprint.add(entry.variationKey)
    }
    fingerprint.add(holdouts.count)
    for holdout in holdouts { fingerprint.add(holdout.fingerprint) }
    if let prediction = rule.prediction {
      fingerprint.add(prediction.range)
      for id in prediction.attributeIDs {
        guard let place = attributes[id] else { continue }
        fingerprint.add(builder.value(at: place, as: AttributeRecord.self)?.keyHash ?? 0)
      }
    }
    return fingerprint.value
  }

  /// The audiences and conditions that the steps ask for stand in the snapshot.
  func fingerprint(of steps: [Instruction]) -> UInt64 {
    var fingerprint = Fingerprint()
    for step in steps {
      fingerprint.add(step.operation.rawValue)
      fingerprint.add(step.truth.rawValue)
      switch step.operation {
      case .audience:
        fingerprint.add(builder.value(at: step.target, as: AudienceRecord.self)?.program.fingerprint ?? 0)
      case .test:
        if let condition = builder.value(at: step.target, as: ConditionRecord.self) { fingerprint.add(condition) }
      case .set, .not, .push, .and, .or, .pop: fingerprint.add(step.target)
      }
    }
    return fingerprint.value
  }
}

extension Fingerprint {
  static func of(_ group: GroupDefinition) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(group.id)
    fingerprint.add(group.allocation)
    return fingerprint.value
  }

  fileprivate mutating func add(_ allocation: DefinitionList<AllocationDefinition>) {
    add(allocation.count)
    for row in allocation {
      add(row.entity)
      add(row.end)
    }
  }

  fileprivate mutating func add(_ variation: VariationDefinition) {
    add(variation.id)
    add(variation.key)
    add(variation.isEnabled)
    add(variation.variables.count)
    for value in variation.variables {
      add(value.id)
      add(value.value)
    }
  }

  fileprivate mutating func add(_ variable: VariableDefinition) {
    add(variable.id)
    add(variable.key)
    add(variable.type.rawValue)
    add(variable.defaultValue)
  }

  fileprivate mutating func add(_ condition: ConditionRecord) {
    add(condition.test.rawValue)
    condition.cause.name.withBytes { add($0) }
    add(condition.relation.rawValue)
    add(condition.nameHash)
    add(condition.operandHash)
    add(condition.number.bitPattern)
  }
}
