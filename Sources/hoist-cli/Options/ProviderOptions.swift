import ArgumentParser

/// The source of flags.
struct ProviderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The service: \(Services.known.map(\.name).joined(separator: ", ")).", valueName: "name"),
    completion: .list(Services.known.map(\.name)))
  var provider = "unleash"

  @Option(help: ArgumentHelp("JSON file of properties; `hoist config` lists them.", valueName: "file"), completion: .file())
  var config: String?

  @Option(name: .customLong("set"), help: ArgumentHelp("Sets a property; may be repeated.", valueName: "name=value"))
  var properties: [String] = []

  @Option(
    name: [.customLong("features"), .customLong("datafile")],
    help: ArgumentHelp("File of flags, or datafile, to evaluate here, without network.", valueName: "file"),
    completion: .file())
  var features: String?

  @Option(help: ArgumentHelp("Address of the service.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("LaunchDarkly: address of the stream, when it has one of its own.", valueName: "url"))
  var streamUrl: String?

  @Option(
    help: ArgumentHelp("LaunchDarkly: the mobile key, which every app shows to its users and is no secret.", valueName: "key"))
  var mobileKey: String?

  @Option(
    help: ArgumentHelp("File that holds the key; else the environment variable HOIST_KEY.", valueName: "file"),
    completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("Longest wait for the service, in seconds.", valueName: "seconds"))
  var timeout = 10.0

  @Flag(name: .shortAndLong, help: "Shows the library's log lines on standard error.")
  var verbose = false

  func validate() throws {
    guard Moment.milliseconds(ofSeconds: timeout) != nil else {
      throw ValidationError("--timeout \(timeout) is no number of seconds between 0.001 and a year")
    }
    guard features == nil || url == nil else {
      throw ValidationError("--features works without network: leave out --url, or set bootstrap.file instead")
    }
  }

  var timeoutMilliseconds: Int64 { Moment.milliseconds(ofSeconds: timeout) ?? 10_000 }
}

/// How answers look.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Answers in JSON, with stable names.")
  var json = false
}
