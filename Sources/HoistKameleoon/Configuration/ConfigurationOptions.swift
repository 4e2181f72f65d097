internal import HoistBase
internal import HoistCore

/// What a configuration is compiled for.
struct ConfigurationOptions {
  /// Whom conditions on the SDK's language mean.
  var sdkName: [UInt8] = Array("SWIFT".utf8)
  var sdkVersion: [UInt8] = Array("4.25.0".utf8)
  /// Expressions are searched for; else they have to match the whole text (section 7, A2).
  var searchesExpressions = false
  /// As the vendor's own SDK, where this one departs from it (section 7).
  var isStrict = false
  var regexEngine: (any RegexEngine)?
  /// Where bad elements are told.
  var log: Log?

  /// For comparing and tests.
  init() {}

  init(_ settings: KameleoonSettings, _ host: any ProviderHost) {
    sdkName = Array(settings.sdkName.utf8)
    sdkVersion = Array(settings.sdkVersion.utf8)
    searchesExpressions = settings.searchesRegex
    isStrict = settings.isStrictVendor
    regexEngine = host.regex
    log = host.log
  }
}
