import ArgumentParser
import CHoist
import Glibc

struct Tool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hoist",
    abstract: "Feature flags on the command line.",
    discussion: """
      Asks a feature-flag service, or a file of flags, what a flag is for a person and why; follows changes; finds \
      out what is wrong.

      EXAMPLES
        hoist evaluate banner --features features.json --user user-42
        hoist explain banner --features features.json --context user.json
        hoist flags --url https://flags.example.com/api/frontend --user user-42
        hoist watch --url https://flags.example.com/api/frontend --key-file key
        hoist watch --provider launchdarkly --mobile-key mob-KEY --context '{"kind":"user","key":"user-42"}'
        hoist track purchase --url https://flags.example.com/api/frontend
        hoist forward --from redis:localhost --scope shop --url https://flags.example.com/api
        hoist config unleash
        hoist doctor --url https://flags.example.com/api/frontend
        hoist plugin ./journal.so

      THE KEY comes from the environment variable HOIST_KEY, from --key-file or from the file of --config, never from \
      an argument: every user of the machine can read those. Only a mobile key of LaunchDarkly, which is no secret, may \
      be one.

      EXIT STATUS
        0 done   1 negative result   2 usage   3 network   4 configuration   5 unknown flag, with evaluate --exit-code
        6 something is left, of forward
      """,
    version: String(cString: hoist_version()),
    subcommands: [
      EvaluateCommand.self, ExplainCommand.self, FlagsCommand.self, WatchCommand.self, TrackCommand.self, ForwardCommand.self,
      ConfigCommand.self, DoctorCommand.self, PluginCommand.self,
    ])
}

@main
enum Main {
  static func main() {
    do {
      var command = try Tool.parseAsRoot()
      try command.run()
    } catch let problem as Problem {
      problem.end()
    } catch let code as ExitCode {
      exit(code.rawValue)
    } catch {
      endParsing(error)
    }
  }

  /// Help and version are answers; everything else that parsing throws is a mistake in the arguments.
  private static func endParsing(_ error: any Error) -> Never {
    if Tool.exitCode(for: error).isSuccess {
      Output.line(Tool.fullMessage(for: error))
      exit(0)
    }
    let first = CommandLine.arguments.dropFirst().first ?? ""
    let command = Tool.configuration.subcommands.first { $0._commandName == first || $0.configuration.aliases.contains(first) }
    if let command { Problem(.usage, "\(Tool.message(for: error)); see hoist \(command._commandName) --help").end() }
    let isName = first.utf8.first != UInt8(ascii: "-")
    Problem(.usage, "\(isName ? "unknown command \"\(first)\"" : Tool.message(for: error)); see hoist --help").end()
  }
}
