import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon

extension KameleoonCase {
  /// What is told of visitors.
  static let visitorOperations: [String: Operation] = [
    "clock": { play, step in
      let now = play.scheduler.unixMilliseconds
      play.scheduler.leapWallClock(byMilliseconds: (step["nowMs"]?.int64 ?? now) - now)
      return StepOutcome()
    },
    "addData": { play, step in
      play.withVisitor(step) { visitor in
        let data = step["data"]?.array.map { Array($0) } ?? []
        let status = visitor.add(data.compactMap { VisitorDatum(json: $0.source) }, isTracked: step["track"]?.bool ?? true)
        return StepOutcome(error: status)
      }
    },
    "setLegalConsent": { play, step in
      play.withVisitor(step) { StepOutcome(error: $0.setLegalConsent(step["consent"]?.bool ?? false)) }
    },
    "setForcedVariation": { play, step in
      play.withVisitor(step) { visitor in
        let key = step["variationKey"]?.string.map { Array($0.utf8) }
        return StepOutcome(
          error: visitor.force(
            step["experimentId"]?.int64 ?? 0, variation: key, forcesTargeting: step["forceTargeting"]?.bool ?? true))
      }
    },
  ]
}

extension CustomData {
  init?(vector: JSONValue) {
    guard case .customData(let data) = VisitorDatum(json: vector.source) else { return nil }
    self = data
  }
}
