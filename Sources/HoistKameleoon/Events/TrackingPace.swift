internal import HoistBase
internal import HoistCore

/// The pauses after tracking requests that fail: twice, as the vendor's SDK does, the next interval is the next attempt; from
/// then on pauses grow, and chance decides how long they are. A value.
struct TrackingPace: FetchPace {
  private static let quickRounds = 2
  private var rounds = 0
  private var backoff: Backoff

  init(limitMilliseconds: Int64) {
    backoff = Backoff(baseMilliseconds: TrackingPolicy.retryMilliseconds, capMilliseconds: limitMilliseconds, jitter: 0)
  }

  mutating func succeeded() -> Int64? {
    reset()
    return nil
  }

  mutating func failed(_ failure: FetchFailure, hasFlags: Bool, _ entropy: any Entropy) -> Int64? {
    let asked = failure.retryAfterMilliseconds ?? 0
    switch failure.next {
    case .stop: return nil
    case .after(let milliseconds): return max(milliseconds, asked)
    case .slow: return max(backoff.capMilliseconds, asked)
    case .regular:
      rounds = min(rounds + 1, Self.quickRounds + 1)
      return rounds > Self.quickRounds ? max(entropy.shortened(backoff.nextMilliseconds(entropy)), asked) : asked
    }
  }

  mutating func reset() {
    rounds = 0
    backoff.reset()
  }
}
