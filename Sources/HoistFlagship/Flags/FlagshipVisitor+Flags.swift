internal import CShims
public import HoistBase
public import HoistCore

/// Reading the visitor's flags (FS-57, FS-76 to FS-80; protocols/flagship.md 4.5). Any thread; nothing waits.
///
/// Each gives the value, or the fallback, and says why: `.ok`, also for null; `.notFound`, `.flagshipFlagType`,
/// `.flagshipPanic`, `.flagshipNotInitialized`. With `exposes` the visitor counts wherever there is such a flag, whatever
/// its value and type.
extension FlagshipVisitor {
  public func bool(_ key: FlagKey, fallback: Bool, exposes: Bool) -> (value: Bool, status: Status) {
    let (value, status) = read(key, .bool, EvaluationFallback(fallback), exposes) { flag, _ in flag.bool }
    return (value ?? fallback, status)
  }

  public func int(_ key: FlagKey, fallback: Int64, exposes: Bool) -> (value: Int64, status: Status) {
    let (value, status) = read(key, .int, EvaluationFallback(fallback), exposes) { flag, _ in flag.int }
    return (value ?? fallback, status)
  }

  public func double(_ key: FlagKey, fallback: Double, exposes: Bool) -> (value: Double, status: Status) {
    let (value, status) = read(key, .double, EvaluationFallback(fallback), exposes) { flag, _ in flag.double }
    return (value ?? fallback, status)
  }

  /// Takes a text, which the flags lend, with a NUL behind it.
  public typealias TakeText = (_ text: ByteView, _ lender: VisitorFlags) -> Void

  /// - Parameters:
  ///   - fallback: nil where the caller names none.
  ///   - take: not called where the fallback is to be taken.
  public func string(_ key: FlagKey, fallback: ByteView?, exposes: Bool, _ take: TakeText) -> Status {
    let named = fallback.map { EvaluationFallback(.string, $0) } ?? EvaluationFallback()
    return read(key, .string, named, exposes) { flag, flags in flag.text.map { take($0, flags) } }.status
  }

  /// - Parameters:
  ///   - fallback: JSON text, whose type the value has to have; nil for none, and any type.
  ///   - take: gets JSON text; not called where the fallback is to be taken.
  /// - Returns: `.parse` for a fallback that is no JSON.
  public func json(_ key: FlagKey, fallback: ByteView?, exposes: Bool, _ take: TakeText) -> Status {
    var (wanted, named): (FlagKind?, EvaluationFallback) = (nil, EvaluationFallback())
    if let fallback {
      guard let kind = JSONKinds.shared.kind(of: fallback) else { return .parse }
      // A default of null is none.
      wanted = kind == .null ? nil : kind
      named = EvaluationFallback(.json, fallback)
    }
    return read(key, wanted, named, exposes) { flag, flags in take(flag.json, flags) }.status
  }

  /// - Parameter take: reads the value, which is lent by the flags.
  @inline(__always)
  private func read<Value>(
    _ key: FlagKey, _ wanted: FlagKind?, _ fallback: EvaluationFallback, _ exposes: Bool,
    _ take: (FlagValue, VisitorFlags) -> Value?
  ) -> (value: Value?, status: Status) {
    withFlag(key, isReading: true) { state, flag, missing in
      guard let flag else {
        if missing == .notFound { report(.valueOfUnknownFlag, key, fallback, state) }
        return (nil, missing)
      }
      if exposes { _ = expose(flag, key: key.bytes, fallback: fallback, state: state) }
      switch flag.answer(for: wanted) {
      case .value: return (take(flag, state.flags), .ok)
      case .null: return (nil, .ok)
      case .otherType, .unknown:
        report(.valueOfOtherType, key, fallback, state)
        return (nil, .flagshipFlagType)
      }
    }
  }

  /// Lends a flag's value for the length of `body`, with the visitor's state that it belongs to.
  /// - Parameters:
  ///   - isReading: whether to remember that the value was read.
  ///   - body: gets nil for what is no flag, and why.
  @inline(__always)
  func withFlag<Result>(
    _ key: FlagKey, isReading: Bool = false, _ body: (VisitorState, FlagValue?, Status) -> Result
  ) -> Result {
    let reading = shim_enter()
    defer { shim_leave(reading) }
    let found = find(key, isReading: isReading)
    // Set from the beginning.
    guard let state = found.state else { return body(snapshotOfState, nil, .flagshipNotInitialized) }
    return state._withUnsafeGuaranteedRef { body($0, found.flag, found.status) }
  }

  /// In one piece for all types of value. Only inside a reading section.
  @inline(never)
  private func find(
    _ key: FlagKey, isReading: Bool
  ) -> (state: Unmanaged<VisitorState>?, flag: FlagValue?, status: Status) {
    guard let state = published.current else { return (nil, nil, .flagshipNotInitialized) }
    switch statusCell.current {
    case .notInitialized: return (state, nil, .flagshipNotInitialized)
    case .panic: return (state, nil, .flagshipPanic)
    case .initializing, .initialized: break
    }
    return state._withUnsafeGuaranteedRef { known in
      if let flag = known.table?.find(key, isReading: isReading) { return (state, flag, .ok) }
      return (state, nil, known.fetchStatus == .panic ? .flagshipPanic : .notFound)
    }
  }

  /// FS-79
  func expose(_ key: FlagKey) -> Status {
    let status = withFlag(key) { state, flag, missing in
      if let flag {
        if !state.flags.wasRead(flag) { report(.exposureBeforeValue, key, EvaluationFallback(), state) }
        return expose(flag, key: key.bytes, fallback: EvaluationFallback(), state: state)
      }
      if missing == .notFound { report(.exposureOfUnknownFlag, key, EvaluationFallback(), state) }
      return missing
    }
    if status == .notFound {
      withClient { client, _ in
        client.log.warning("no exposure is sent: there is no flag \"\(String(decoding: key.bytes, as: UTF8.self))\"")
      }
    }
    return status
  }

  /// To the vendor, while the account asks for it (FS-203).
  @inline(never)
  private func report(
    _ label: TroubleshootingLabel, _ key: FlagKey, _ fallback: EvaluationFallback, _ state: VisitorState
  ) {
    withClient { $1.telemetry?.missed(label, key.bytes, fallback, of: state) }
  }
}
