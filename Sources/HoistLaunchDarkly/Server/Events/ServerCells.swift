internal import CShims
internal import HoistBase
internal import Synchronization

/// The counters of a server's flags, and the words beside them, in which is written for which kinds of contexts a counter
/// was noted in this period: as long as no other kind comes, an evaluation is a count and nothing else.
final class ServerCells: CountedFlags, Sendable {
  typealias Drain = @Sendable (_ body: (ByteView, CounterIdentity, UInt64) -> Void) -> Void

  /// Periods, as far as words tell them apart: a counter that was not used for so many is noted once more.
  private static let periods: UInt32 = 1 << 20 - 1

  private let counts: Drain
  /// From 1, for words begin as zeros.
  private let period = Atomic<UInt32>(1)

  /// - Parameter counts: hands out what was counted since it was last asked, with what each counter is of.
  init(_ counts: @escaping Drain) { self.counts = counts }

  func drain(_ body: (ByteView, CounterIdentity, UInt64, EventContext?) -> Void) { counts { body($0, $1, $2, nil) } }

  func beginPeriod() {
    let last = period.load(ordering: .relaxed)
    period.store(last < Self.periods ? last + 1 : 1, ordering: .relaxed)
  }

  @inline(__always)
  func isNoted(_ word: UnsafeMutablePointer<UInt32>, _ kinds: ContextSight.Kinds) -> Bool {
    let noted = shim_load_u32(word)
    return noted >> UInt32(KindNames.most) == period.load(ordering: .relaxed) && UInt32(kinds) & ~noted & 0x1FFF == 0
      && kinds & KindNames.other == 0
  }

  /// Another thread's note may be lost by that, and is made again.
  func note(_ word: UnsafeMutablePointer<UInt32>, _ kinds: ContextSight.Kinds) {
    let (noted, now) = (shim_load_u32(word), period.load(ordering: .relaxed))
    let former = noted >> UInt32(KindNames.most) == now ? noted : now << UInt32(KindNames.most)
    shim_store_u32(word, former | UInt32(kinds & ~KindNames.other))
  }
}

/// Where an evaluation is counted.
enum EvaluationCount {
  /// By who is told of it.
  case here
  /// It has been, in a cell, with the word beside that; nil for one without.
  case cell(UnsafeMutablePointer<UInt32>?)

  var word: UnsafeMutablePointer<UInt32>? { if case .cell(let word) = self { word } else { nil } }
}
