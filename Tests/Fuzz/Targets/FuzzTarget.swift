public import HoistBase

/// A parser of bytes from outside, and what has to hold whatever the bytes are.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case json, stream, texts, expression, context, features, toggles, delta, datafile, decide, segments, prediction, flags, rules
  case campaigns, decisions, configuration
  case launchDarklyContext = "launchdarkly_context"
  case propertyList = "property_list"

  /// Reads the bytes as the target's kind. Every reader may refuse; none may trap, hang, or contradict itself.
  /// - Returns: what does not hold, in one line; nil when all is well.
  public func run(_ bytes: ByteView) -> String? {
    switch self {
    case .json: checkJSON(bytes)
    case .stream: checkStream(bytes)
    case .texts: checkTexts(bytes)
    case .expression: checkExpression(bytes)
    case .context: checkContext(bytes)
    case .features: checkFeatures(bytes)
    case .toggles: checkToggles(bytes)
    case .delta: checkDelta(bytes)
    case .datafile: checkDatafile(bytes)
    case .decide: checkDecide(bytes)
    case .segments: checkSegments(bytes)
    case .prediction: checkPrediction(bytes)
    case .flags: checkFlags(bytes)
    case .rules: checkRules(bytes)
    case .launchDarklyContext: checkLaunchDarklyContext(bytes)
    case .campaigns: checkCampaigns(bytes)
    case .decisions: checkDecisions(bytes)
    case .configuration: checkConfiguration(bytes)
    case .propertyList: checkPropertyList(bytes)
    }
  }
}
