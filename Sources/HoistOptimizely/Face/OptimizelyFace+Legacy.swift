public import HoistBase
public import HoistCore
public import HoistJSON

/// The calls that came before user contexts (`OPT-77`). The context's targeting key is the user id; nil means the
/// client's own context.
extension OptimizelyFace {
  /// `getVariationKey`, and with an impression `activate`.
  public func variation(
    _ experimentKey: ByteView, _ user: EvaluationContext?, activates: Bool
  ) -> Result<[UInt8], Status> {
    legacy(user) { call throws(LegacyCall.Failure) in
      Array(try call.variation(ofExperiment: experimentKey, activates: activates))
    }
  }

  public func isFeatureEnabled(_ key: ByteView, _ user: EvaluationContext?) -> Bool {
    (try? legacy(user) { call throws(LegacyCall.Failure) in call.isEnabled(key) }.get()) ?? false
  }

  /// Keys of the features that are on; a JSON array.
  public func enabledFeatures(_ user: EvaluationContext?) -> Result<[UInt8], Status> {
    legacy(user) { call throws(LegacyCall.Failure) in
      var writer = JSONWriter()
      writer.array { writer in
        for key in call.enabledFeatures() { writer.string(key) }
      }
      return writer.bytes
    }
  }

  /// - Parameter body: reads the value while its texts are valid.
  public func variable<Value>(
    _ key: ByteView, of flag: ByteView, as type: OptimizelyVariableType?, _ user: EvaluationContext?,
    _ body: (OptimizelyValue) -> Value
  ) -> Result<Value, Status> {
    legacy(user) { call throws(LegacyCall.Failure) in body(try call.variable(key, of: flag, as: type)) }
  }

  /// All variables of a feature; a JSON object.
  public func variables(of flag: ByteView, _ user: EvaluationContext?) -> Result<[UInt8], Status> {
    legacy(user) { call throws(LegacyCall.Failure) in Array(try call.variables(of: flag)) }
  }

  /// - Parameter tags: an object, or nil.
  public func track(_ eventKey: ByteView, _ user: EvaluationContext?, tags: JSONValue?) -> Status {
    guard let context = user?.reference() ?? client.currentContext, context.frozen.targetingKey != nil else {
      return .optimizelyUserIDInvalid
    }
    let services = provider.visitors
    return withSnapshot { services.conversion(eventKey, tags: tags, in: $0, context: context.frozen) }
      .map { services.send($0) } ?? .optimizelySDKNotReady
  }

  /// One profile is looked up before the call, and saved at most once after it (4.6).
  private func legacy<Value>(
    _ user: EvaluationContext?, _ body: (inout LegacyCall) throws(LegacyCall.Failure) -> Value
  ) -> Result<Value, Status> {
    guard let context = user?.reference() ?? client.currentContext, let id = context.frozen.targetingKey else {
      return .failure(.optimizelyUserIDInvalid)
    }
    let services = provider.visitors
    let usesProfile = !services.defaultOptions.contains(.ignoreUserProfileService)
    let hash = context.frozen.head.pointee.keyHash
    let profile = usesProfile ? services.profiles.lookUp(id, hash: hash) : nil
    let forced = services.forcedVariations.entry(of: id, hash: hash)
    let outcome = withSnapshot { snapshot in
      SubjectState.with(nil, forced, profile) { state in
        var call = LegacyCall(
          snapshot: snapshot, context: context.frozen, state: state, usesProfile: usesProfile, origin: services.origin,
          wanted: services.notifications.wanted)
        let result = Result { () throws(LegacyCall.Failure) in try body(&call) }
        return (result, call.effects)
      }
    }
    guard let (result, effects) = outcome else { return .failure(.optimizelySDKNotReady) }
    services.apply(effects, user: { Array(id) }, lookedUp: profile)
    return withExtendedLifetime(context) { result.mapError(\.status) }
  }
}

extension LegacyCall.Failure {
  var status: Status {
    switch self {
    case .experimentKeyInvalid: .optimizelyExperimentKeyInvalid
    case .variationUnknown: .optimizelyVariationUnknown
    case .featureKeyInvalid: .optimizelyFeatureKeyInvalid
    case .variableKeyInvalid: .optimizelyVariableKeyInvalid
    case .variableValueInvalid: .optimizelyVariableValueInvalid
    }
  }
}
