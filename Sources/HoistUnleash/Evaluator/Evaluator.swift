internal import CShims
internal import HoistBase
internal import HoistCore

/// Evaluates flags of a snapshot for one context: a pure reader of raw memory (protocols/unleash.md C).
///
/// Generic over what watches: `NoSteps` leaves nothing behind in the machine code, `Explanation` writes every
/// step down. Both run these very functions, so that what is explained is what ran.
struct Evaluator<Recorder: StepRecorder<Explanation>> {
  let base: UnsafeRawPointer
  let context: UnsafeRawPointer?
  /// The client's own context where it is another one, or nil.
  let inherited: UnsafeRawPointer?
  let ambient: UnsafePointer<Ambient>?
  var budget = StepBudget()
  var segments = RememberedTruths()
  var recorder: Recorder

  @inline(__always)
  init(
    base: UnsafeRawPointer, context: UnsafeRawPointer?, inherited: UnsafeRawPointer?,
    ambient: UnsafePointer<Ambient>?, recorder: Recorder
  ) {
    self.base = base
    self.context = context
    self.inherited = inherited == context ? nil : inherited
    self.ambient = ambient
    self.recorder = recorder
  }

  @inline(__always)
  var root: UnsafePointer<SnapshotRoot> {
    Snapshot(base).root()
  }

  var unixMilliseconds: Int64 {
    if let ambient, ambient.pointee.unixMilliseconds != .min { return ambient.pointee.unixMilliseconds }
    return SystemTime.unixMilliseconds
  }

  /// A number from 0 up to, not including, `bound`.
  func draw(below bound: UInt64) -> UInt64 {
    let word: UInt64
    if let state = ambient?.pointee.random {
      word = SplitMix64.next(&state.pointee)
    } else {
      let slot = shim_enter()
      word = shim_random(slot)
      shim_leave(slot)
    }
    return word.multipliedFullWidth(by: bound).high
  }
}

/// Whether a flag is on, why, and by which strategy.
struct Verdict {
  var isOn: Bool
  var reason: Reason
  var strategy: UnsafePointer<StrategyRecord>?
}

extension Evaluator {
  /// On or off, by the order of C.2.
  @inline(__always)
  mutating func decide(_ flag: UnsafePointer<UnleashFlagRecord>) -> Verdict {
    let traits = flag.pointee.traits
    if !traits.contains(.enabled) || traits.contains(.broken) {
      return Verdict(isOn: false, reason: .disabled, strategy: nil)
    }
    if !flag.pointee.dependencies.isNone, !dependenciesHold(flag) {
      return Verdict(isOn: false, reason: .default, strategy: nil)
    }
    if flag.pointee.strategyCount == 0 { return Verdict(isOn: true, reason: .static, strategy: nil) }
    guard let strategy = firstHolding(flag, seenThrough: nil) else {
      return Verdict(isOn: false, reason: .default, strategy: nil)
    }
    return Verdict(isOn: true, reason: strategy.pointee.reason, strategy: strategy)
  }

  /// The first strategy that holds, in the order of the document.
  /// - Parameter child: the dependencies of the flag through which this one is looked at, or nil.
  @inline(__always)
  mutating func firstHolding(
    _ flag: UnsafePointer<UnleashFlagRecord>, seenThrough child: UnsafePointer<DependencyList>?
  ) -> UnsafePointer<StrategyRecord>? {
    guard budget.spend(Int(flag.pointee.strategyCount) &* StepBudget.condition) else { return nil }
    let strategies = base.at(flag.pointee.strategies)
    var index = 0
    while index < Int(flag.pointee.strategyCount), !budget.isExceeded {
      let strategy = strategies + index
      if holds(strategy, seenThrough: child) { return strategy }
      index &+= 1
    }
    return nil
  }

  /// Every parent is as it must be (C.9).
  @inline(never)
  mutating func dependenciesHold(_ flag: UnsafePointer<UnleashFlagRecord>) -> Bool {
    let list = base.at(flag.pointee.dependencies)
    let dependencies = UnsafeRawPointer(list + 1).assumingMemoryBound(to: DependencyRecord.self)
    recorder.note { $0.beginDependencies() }
    defer { recorder.note { $0.endDependencies() } }
    for index in 0..<Int(list.pointee.count) {
      guard budget.spend(StepBudget.condition) else { return false }
      let dependency = dependencies + index
      recorder.note { [base] in $0.beginDependency(dependency, base) }
      let isSatisfied = isSatisfied(dependency, list)
      recorder.note { $0.endDependency(isSatisfied) }
      if !isSatisfied { return false }
    }
    return true
  }

  private mutating func isSatisfied(
    _ dependency: UnsafePointer<DependencyRecord>, _ list: UnsafePointer<DependencyList>
  ) -> Bool {
    guard !dependency.pointee.parent.isNone, !dependency.pointee.parentDepends else { return false }
    let parent = base.at(dependency.pointee.parent)
    let strategy = firstHolding(parent, seenThrough: list)
    let traits = parent.pointee.traits
    let isOn =
      traits.contains(.enabled) && !traits.contains(.broken)
      && (strategy != nil || parent.pointee.strategyCount == 0)
    recorder.note { $0.parent(isOn) }
    guard isOn == dependency.pointee.wantsEnabled else { return false }
    guard dependency.pointee.variantCount > 0 else { return true }
    let variant = chooseVariant(parent, strategy)
    guard variant >= 0 else { return true }
    let variants = base.at(parent.pointee.variants)
    let name = variants[Int(variant)].name.bytes(base)
    let wanted = base.at(dependency.pointee.variants)
    guard budget.spend(Int(dependency.pointee.variantCount)) else { return false }
    for index in 0..<Int(dependency.pointee.variantCount) where wanted[index].bytes(base).hasSameBytes(as: name) {
      return true
    }
    return false
  }
}

/// The machine's clock, where no ambient says what time it is.
enum SystemTime {
  private static let clock = SystemClock()
  static var unixMilliseconds: Int64 { clock.unixMilliseconds }
}

/// The generator of `shim_random` (Steele, Lea and Flood), over a state of the caller's.
enum SplitMix64 {
  static func next(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }
}
