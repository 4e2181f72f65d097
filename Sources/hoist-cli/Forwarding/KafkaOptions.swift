import ArgumentParser

/// How the plug-in for Kafka is to read topics.
struct KafkaOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The topic; several with commas. All of one service and key.", valueName: "name"))
  var topic: String?

  @Option(help: ArgumentHelp("The consumer group, if not hoist-forward. Its members share the work.", valueName: "name"))
  var group: String?

  @Option(
    name: .customLong("option"),
    help: ArgumentHelp(
      "Sets a property of librdkafka's, or delivery_timeout_ms or message_max_bytes of the dead letters; may be repeated.",
      valueName: "name=value"))
  var properties: [String] = []

  @Option(
    help: ArgumentHelp(
      "JSON file of librdkafka's properties, secrets among them; sasl.password also comes from the environment variable HOIST_KAFKA_PASSWORD.",
      valueName: "file"),
    completion: .file())
  var kafkaConfig: String?

  /// The first of these that is given.
  var firstGiven: String? {
    [("--topic", topic), ("--group", group), ("--option", properties.first), ("--kafka-config", kafkaConfig)].first {
      $0.1 != nil
    }?.0
  }

  /// The plug-in's options.
  /// - Parameter brokers: what --from says behind "kafka:".
  func members(_ brokers: String, deadLetters: String?) throws -> JSON {
    let brokers = brokers.hasPrefix("//") ? String(brokers.dropFirst(2)) : brokers
    guard !brokers.contains("@") else {
      throw Problem(
        .usage,
        "--from kafka:…@…: user and password are no part of it: use --option sasl.username=…, and HOIST_KAFKA_PASSWORD or a file")
    }
    guard !brokers.split(separator: ",", omittingEmptySubsequences: false).contains("") else {
      throw Problem(.usage, "--from kafka:\(brokers): is no address: kafka:HOST, kafka:HOST:PORT, or several with commas")
    }
    guard let topic else { throw Problem(.usage, "--from kafka:… needs --topic, as the processes' dispatcher has it") }
    var members: [(name: String, value: JSON)] = [
      ("brokers", .string(brokers)), ("topic", .string(topic)), ("group", .string(group ?? "hoist-forward")),
    ]
    if let deadLetters { members.append(("dead_letters", .string(deadLetters))) }
    var others = try fromFile()
    if let password = Terminal.variable("HOIST_KAFKA_PASSWORD") { Self.set("sasl.password", .string(password), in: &others) }
    for property in properties {
      let (name, value) = try Self.split(property)
      if ["delivery_timeout_ms", "message_max_bytes"].contains(name) {
        Self.set(name, Int64(value).map { .number("\($0)") } ?? .string(value), in: &members)
      } else {
        Self.set(name, .string(value), in: &others)
      }
    }
    return .object(members + [("librdkafka", .object(others))])
  }

  private func fromFile() throws -> [(name: String, value: JSON)] {
    guard let kafkaConfig else { return [] }
    let text = String(decoding: try InputFile.read(kafkaConfig, for: "--kafka-config"), as: UTF8.self)
    if let members = JSON(parsing: text)?.members { return members }
    throw Problem(.configuration, "--kafka-config \(kafkaConfig): is no JSON object")
  }

  private static func set(_ name: String, _ value: JSON, in members: inout [(name: String, value: JSON)]) {
    members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
    members.append((name, value))
  }

  private static func split(_ property: String) throws -> (name: String, value: String) {
    guard let equals = property.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw Problem(.usage, "--option \(property): is not of the form name=value")
    }
    let name = String(property[..<equals])
    guard !["password", "secret", "key.pem", "oauthbearer.config"].contains(where: { name.contains($0) }) else {
      throw Problem(
        .usage,
        "--option \(name)=… would show the secret to every user of this machine; use --kafka-config FILE, or HOIST_KAFKA_PASSWORD for sasl.password"
      )
    }
    return (name, String(property[property.utf8.index(after: equals)...]))
  }
}
