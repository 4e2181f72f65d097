internal import HoistBase
internal import HoistCore

/// Fingerprints of flags, by which the changes of another revision are found: of all that can change decisions, without
/// layers, names of audiences and the project's own data.
extension DatafileCompiler {
  /// - Parameter rules: the flag's experiments and delivery rules.
  func fingerprint(of flag: FlagDefinition, _ record: OptimizelyFlagRecord, _ rules: [Int]) -> UInt64 {
    var fingerprint = holdoutsFingerprint
    fingerprint.add(record.rollout.rawValue, record.experimentCount)
    for rule in rules { fingerprint.add(self.rules[rule].fingerprint) }
    fingerprint.add(flag.variables)
    return fingerprint.value
  }

  /// - Parameter record: without what it is in, which the others are.
  func fingerprint(
    of rule: RuleDefinition, _ record: RuleRecord, _ group: CompiledGroup?, _ holdouts: [CompiledRule]
  ) -> UInt64 {
    var fingerprint = Fingerprint(continuing: record.idHash)
    fingerprint.add(record.keyHash, rule.isRunning, record.isTargetedDelivery, rule.excludesTargetedDeliveries)
    fingerprint.add(group?.fingerprint ?? 0, builder.value(at: record.audience)?.fingerprint ?? 0)
    fingerprint.add(rule.variations, rule.allocation, rule.whitelist, holdouts.map(\.fingerprint))
    if let prediction = rule.prediction {
      fingerprint.add(prediction.range)
      for id in prediction.attributeIDs {
        guard let known = attributes[id] else { continue }
        fingerprint.add(builder.value(at: Place<AttributeRecord>(offset: known))?.keyHash ?? 0)
      }
    }
    return fingerprint.value
  }

  /// The audiences and conditions of the steps are in the snapshot.
  func fingerprint(of steps: [Instruction]) -> UInt64 {
    var fingerprint = Fingerprint()
    for step in steps {
      fingerprint.add(step.operation.rawValue, step.truth.rawValue)
      switch step.operation {
      case .audience: fingerprint.add(builder.value(at: step.audience)?.program.fingerprint ?? 0)
      case .test:
        if let condition = builder.value(at: step.condition) { fingerprint.add(condition) }
      case .set, .not, .push, .and, .or, .pop: fingerprint.add(step.target)
      }
    }
    return fingerprint.value
  }
}

extension GroupDefinition {
  var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(id, allocation)
    return fingerprint.value
  }
}

extension AllocationDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(entity, end) }
}

extension WhitelistDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(user, variationKey) }
}

extension VariationDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(id, key, isEnabled, variables) }
}

extension ValueDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(id, value) }
}

extension VariableDefinition: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) { fingerprint.add(id, key, type.rawValue, defaultValue) }
}

extension ConditionRecord: Fingerprinted {
  func add(to fingerprint: inout Fingerprint) {
    cause.name.withBytes { fingerprint.add($0) }
    fingerprint.add(test.rawValue, relation.rawValue, nameHash, operandHash, number.bitPattern)
  }
}
