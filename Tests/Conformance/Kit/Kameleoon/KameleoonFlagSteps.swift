import HoistBase
import HoistCore
import HoistJSON
import HoistKameleoon

extension KameleoonCase {
  /// What visitors ask of flags.
  static let flagOperations: [String: Operation] = [
    "isFeatureActive": { play, step in
      play.withVisitor(step) { visitor in
        let answer = featureKey(step).withBytes { visitor.isFeatureActive($0, isTracked: step.isTracked) }
        return answer.status == .ok ? StepOutcome("active") { $0.bool(answer.isActive) } : StepOutcome(error: answer.status)
      }
    },
    "getVariation": { play, step in
      play.withVariation(step) { variation in StepOutcome("variation") { variation.write(to: &$0, isWhole: true) } }
    },
    "getFeatureVariationKey": { play, step in
      play.withVariation(step) { variation in
        StepOutcome("key") { $0.string(utf8: variation.decidedKey.bindMemory(to: UInt8.self)) }
      }
    },
    "getVariations": { play, step in
      play.list(step, isWhole: true) { $0.variations(onlyActive: step["onlyActive"]?.bool ?? false, isTracked: step.isTracked) }
    },
    "getVariationIds": { play, step in
      play.list(step, isWhole: false) { $0.variations(onlyActive: step["onlyActive"]?.bool ?? false, isTracked: step.isTracked) }
    },
    "getActiveFeatures": { play, step in play.list(step, isWhole: true) { $0.activeVariations } },
    "getActiveFeatureList": { play, step in
      play.withVisitor(step) { visitor in
        guard let list = visitor.activeVariations else { return StepOutcome(error: .kameleoonSDKNotReady) }
        return StepOutcome("list") { writer in
          writer.array { writer in
            for index in 0..<list.count { writer.string(utf8: (list.key(at: index) ?? .noBytes).bindMemory(to: UInt8.self)) }
          }
        }
      }
    },
    "getFeatureList": { play, _ in
      guard let keys = play.face.featureKeys else { return StepOutcome(error: .kameleoonSDKNotReady) }
      return StepOutcome("list") { writer in writer.array { writer in for key in keys { writer.string(utf8: key.buffer) } } }
    },
    "getFeatureVariable": { play, step in
      play.withVisitor(step) { visitor in
        let name = step["variableKey"]?.string ?? ""
        let answer = name.withBytes { name in featureKey(step).withBytes { visitor.variable(name, of: $0) } }
        guard let variable = answer.variable else { return StepOutcome(error: answer.status) }
        defer { variable.release() }
        return StepOutcome("value") { $0.raw(variable.json) }
      }
    },
    "getFeatureVariationVariables": { play, step in
      let variation = step["variationKey"]?.string ?? ""
      let answer = variation.withBytes { variation in
        featureKey(step).withBytes { play.face.variables(of: $0, variation: variation) }
      }
      guard let json = answer.json else { return StepOutcome(error: answer.status) }
      return StepOutcome("variables") { $0.raw(json.bytes) }
    },
  ]

  private static func featureKey(_ step: JSONValue) -> String { step["featureKey"]?.string ?? "" }

  private func withVariation(_ step: JSONValue, _ body: (KameleoonVariation) -> StepOutcome) -> StepOutcome {
    withVisitor(step) { visitor in
      let answer = Self.featureKey(step).withBytes { visitor.variation($0, isTracked: step.isTracked) }
      guard let variation = answer.variation else { return StepOutcome(error: answer.status) }
      defer { variation.release() }
      return body(variation)
    }
  }

  private func list(_ step: JSONValue, isWhole: Bool, _ decide: (KameleoonVisitor) -> VariationList?) -> StepOutcome {
    withVisitor(step) { visitor in
      guard let list = decide(visitor) else { return StepOutcome(error: .kameleoonSDKNotReady) }
      return StepOutcome("variations") { writer in
        writer.object { writer in
          for index in 0..<list.count {
            guard let key = list.key(at: index), let variation = list.variation(at: index) else { continue }
            writer.key(utf8: key.bindMemory(to: UInt8.self))
            variation.write(to: &writer, isWhole: isWhole)
          }
        }
      }
    }
  }
}

extension JSONValue {
  fileprivate var isTracked: Bool { self["track"]?.bool ?? true }
}

extension KameleoonVariation {
  /// As the vectors have it: null for ids that are none.
  fileprivate func write(to writer: inout JSONWriter, isWhole: Bool) {
    func text(_ bytes: ByteView, _ writer: inout JSONWriter) { writer.string(utf8: bytes.bindMemory(to: UInt8.self)) }
    func id(_ number: Int64, _ writer: inout JSONWriter) { number == -1 ? writer.null() : writer.int(number) }
    guard isWhole else {
      return writer.array { writer in
        text(key, &writer)
        id(self.id, &writer)
        id(experimentID, &writer)
      }
    }
    writer.object { writer in
      writer.key("key")
      text(key, &writer)
      writer.key("name")
      text(name, &writer)
      writer.key("id")
      id(self.id, &writer)
      writer.key("experimentId")
      id(experimentID, &writer)
      writer.key("variables")
      writer.object { writer in
        for variable in (0..<variableCount).compactMap({ variable(at: $0) }) {
          writer.key(utf8: variable.key.bindMemory(to: UInt8.self))
          writer.object { writer in
            writer.key("type")
            text(variable.type, &writer)
            writer.key("value")
            writer.raw(variable.json)
          }
        }
      }
    }
  }
}
