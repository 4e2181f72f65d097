import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistFlagship

/// What a caller named in place of a flag's value.
enum ExposedValue: Sendable {
  case none, bool(Bool), int(Int64), double(Double), string(String), json(String)

  func with<Result>(_ body: (EvaluationFallback) -> Result) -> Result {
    switch self {
    case .none: body(EvaluationFallback())
    case .bool(let value): body(EvaluationFallback(value))
    case .int(let value): body(EvaluationFallback(value))
    case .double(let value): body(EvaluationFallback(value))
    case .string(let text): text.withBytes { body(EvaluationFallback(.string, $0)) }
    case .json(let text): text.withBytes { body(EvaluationFallback(.json, $0)) }
    }
  }
}

/// Hears what the host is told of exposures: the text of the visitor, then that of the flag.
final class ExposureRecorder: FlagshipObserver {
  let heard = Locked<[String]>([])
  var hearsOfExposures: Bool { true }

  func exposed(visitor: [UInt8], flag: [UInt8]) {
    heard.change { $0 += [String(decoding: visitor, as: UTF8.self), String(decoding: flag, as: UTF8.self)] }
  }
}

extension FlagMetadata {
  /// Lends the texts of a campaign in the order of its members.
  static func with<Result>(_ texts: [String], _ body: (FlagMetadata) -> Result) -> Result {
    let all = Array(texts.joined().utf8)
    return all.withUnsafeBytes { bytes in
      var views: [ByteView] = []
      var at = 0
      for text in texts {
        views.append(bytes.view(from: at, to: at + text.utf8.count))
        at += text.utf8.count
      }
      var metadata = FlagMetadata()
      metadata.campaignID = views[0]
      metadata.campaignName = views[1]
      metadata.variationGroupID = views[2]
      metadata.variationGroupName = views[3]
      metadata.variationID = views[4]
      metadata.variationName = views[5]
      metadata.campaignType = views[6]
      metadata.slug = views[7]
      return body(metadata)
    }
  }
}

extension HitRig {
  @discardableResult
  func expose(
    _ key: String, of visitor: VisitorIdentity? = nil, variation: String = "va2", context: EvaluationContext? = nil,
    value: String = "null", fallback: ExposedValue = .none, consent: Bool = true
  ) -> Status {
    let hold = context?.reference()
    defer { withExtendedLifetime(hold) {} }
    return key.withBytes { key in
      value.withBytes { value in
        fallback.with { fallback in
          FlagMetadata.with(["camp1", "Checkout", "vg1", "All", variation, "Green", "ab", ""]) { metadata in
            let visitor = visitor ?? self.visitor
            return visitor.withIDs { visitorID, anonymousID in
              activates.expose(
                Exposure(
                  visitorID: visitorID, anonymousID: anonymousID, context: hold?.frozen, key: key, value: value,
                  fallback: fallback, metadata: metadata), of: visitor, hasConsented: consent)
            }
          }
        }
      }
    }
  }

  /// Lets what is due happen, and the host hear of it.
  func settleNotices() {
    for _ in 0..<3 {
      run()
      _ = rig.client.dispatch(limit: 100)
    }
  }
}
