import {
  patient,
  patientHistoryResponse,
  patientListResponse,
  patientQuery,
} from "@/model/schema/patients.ts";
import { deletePatient, getHistory, getPatient, listPatients } from "@/core/services/patients.ts";
import { json, noContent, pidOf, readQuery, type Routes } from "@/core/api/app.ts";

export const patientRoutes: Routes = (api, services) => {
  api.get("/api/v1/patients", async ({ req }) => {
    return json(patientListResponse, await listPatients(services, readQuery(req.raw, patientQuery)));
  });
  api.get("/api/v1/patients/:pid{[0-9]+}", async ({ req }) => {
    return json(patient, await getPatient(services, pidOf(req.param("pid"))));
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/history", async ({ req }) => {
    return json(patientHistoryResponse, await getHistory(services, pidOf(req.param("pid"))));
  });
  api.delete("/api/v1/patients/:pid{[0-9]+}", async (context) => {
    await deletePatient(services, pidOf(context.req.param("pid")), context.var.caller);
    return noContent();
  });
};
