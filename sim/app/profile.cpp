// tantalus profile: what a network asks for, without hardware.
#include "models/dnn/profile.hpp"

#include <algorithm>
#include <string>

#include "models/dnn/lower.hpp"
#include "sim/app/loading.hpp"
#include "sim/app/run.hpp"
#include "sim/app/session.hpp"
#include "sim/report/profile_report.hpp"

namespace tantalus {

namespace {

ProfileRow row_of(const LayerProfile& layer) {
  return {layer.name,        layer.kind,         layer.output_shape,    layer.ops,
          layer.macs,        layer.flops,        layer.other_ops,       layer.parameters,
          layer.input_bytes, layer.output_bytes, layer.parameter_bytes, layer.working_set_bytes};
}

ProfileReport report_of(const Profile& profile, const std::string& name) {
  ProfileReport report;
  report.network = name;
  report.mode = name_of(profile.options.mode);
  report.precision = name_of(profile.options.precision);
  report.convention = name_of(profile.options.convention);
  report.batch = profile.options.batch;
  for (const LayerProfile& layer : profile.layers) {
    report.rows.push_back(row_of(layer));
    report.largest_working_set = std::max(report.largest_working_set, layer.working_set_bytes);
  }
  report.ops = profile.totals.ops;
  report.macs = profile.totals.macs;
  report.flops = profile.totals.flops;
  report.other_ops = profile.totals.other_ops;
  report.parameters = profile.totals.parameters;
  report.parameter_bytes = profile.totals.parameter_bytes;
  return report;
}

std::string text_of(const ProfileReport& report, const Session& session) {
  switch (session.format()) {
    case Format::json:
      return profile_json(report);
    case Format::csv:
      return profile_csv(report);
    case Format::table:
      break;
  }
  return profile_table(report, session.style());
}

}  // namespace

ExitCode profile(const ProfileCommand& command, Console& console) {
  Session session(console, command.output);

  const Result<Network> network = load_network(session.files, command.network);
  if (!session.accept(network)) return session.failure();
  RunSpec run;
  run.batch = command.profile.batch;
  run.mode = command.profile.mode;
  run.precision = command.profile.precision;
  if (!session.accept(check_run(*network, run))) return ExitCode::wrong_usage;

  const Profile counts = profile(*network, command.profile);
  session.accept(counts.warnings);
  ProfileReport report = report_of(counts, stem_of(command.network));
  report.warnings = session.warnings();
  session.write(text_of(report, session));
  return ExitCode::done;
}

}  // namespace tantalus
