internal import HoistBase

/// What an evaluation tells while it runs, in the order of running.
protocol StepRecorder {
  mutating func beginDependencies()
  mutating func beginDependency(_ dependency: UnsafePointer<DependencyRecord>, _ base: UnsafeRawPointer)
  mutating func parent(_ isOn: Bool)
  mutating func endDependency(_ isSatisfied: Bool)
  mutating func endDependencies()

  mutating func beginStrategy(_ strategy: UnsafePointer<StrategyRecord>, _ base: UnsafeRawPointer)
  mutating func beginConstraints()
  mutating func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ field: UnsafePointer<FieldRecord>, _ value: FieldValue?,
    _ outcome: Bool, _ base: UnsafeRawPointer)
  mutating func endConstraints()
  mutating func beginSegments()
  mutating func beginSegment(_ segment: UnsafePointer<SegmentRange>)
  mutating func endSegment(_ holds: Bool)
  mutating func endSegments()
  /// What a rule looked at; nil when there was nothing.
  mutating func operand(_ value: FieldValue?)
  mutating func rollout(
    _ strategy: UnsafePointer<StrategyRecord>, _ identity: ByteView, _ bucket: UInt32, _ base: UnsafeRawPointer)
  mutating func draw(_ number: UInt32, _ strategy: UnsafePointer<StrategyRecord>)
  mutating func custom(_ answer: Bool)
  mutating func endStrategy(_ holds: Bool)

  mutating func override(_ flag: UnsafePointer<FlagRecord>, _ variant: UInt32, _ base: UnsafeRawPointer)
  /// - Parameter identity: nil when the target was drawn.
  mutating func variant(
    _ set: UnsafePointer<VariantSet>, _ variant: UnsafePointer<VariantRecord>, _ identity: FieldValue?,
    _ target: UInt64, _ base: UnsafeRawPointer)
}

/// Records nothing; compiles to nothing.
struct Silence: StepRecorder {
  @inline(__always) func beginDependencies() {}
  @inline(__always) func beginDependency(_ dependency: UnsafePointer<DependencyRecord>, _ base: UnsafeRawPointer) {}
  @inline(__always) func parent(_ isOn: Bool) {}
  @inline(__always) func endDependency(_ isSatisfied: Bool) {}
  @inline(__always) func endDependencies() {}
  @inline(__always) func beginStrategy(_ strategy: UnsafePointer<StrategyRecord>, _ base: UnsafeRawPointer) {}
  @inline(__always) func beginConstraints() {}
  @inline(__always) func condition(
    _ condition: UnsafePointer<ConditionRecord>, _ field: UnsafePointer<FieldRecord>, _ value: FieldValue?,
    _ outcome: Bool, _ base: UnsafeRawPointer
  ) {}
  @inline(__always) func endConstraints() {}
  @inline(__always) func beginSegments() {}
  @inline(__always) func beginSegment(_ segment: UnsafePointer<SegmentRange>) {}
  @inline(__always) func endSegment(_ holds: Bool) {}
  @inline(__always) func endSegments() {}
  @inline(__always) func operand(_ value: FieldValue?) {}
  @inline(__always) func rollout(
    _ strategy: UnsafePointer<StrategyRecord>, _ identity: ByteView, _ bucket: UInt32, _ base: UnsafeRawPointer
  ) {}
  @inline(__always) func draw(_ number: UInt32, _ strategy: UnsafePointer<StrategyRecord>) {}
  @inline(__always) func custom(_ answer: Bool) {}
  @inline(__always) func endStrategy(_ holds: Bool) {}
  @inline(__always) func override(
    _ flag: UnsafePointer<FlagRecord>, _ variant: UInt32, _ base: UnsafeRawPointer
  ) {}
  @inline(__always) func variant(
    _ set: UnsafePointer<VariantSet>, _ variant: UnsafePointer<VariantRecord>, _ identity: FieldValue?,
    _ target: UInt64, _ base: UnsafeRawPointer
  ) {}
}
