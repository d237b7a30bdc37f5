import { type LucideIcon, Mail, MapPin, NotebookPen, Phone } from "lucide-react";
import type { ActivityType } from "@/api/schema";

export const activityIcons: Record<ActivityType, LucideIcon> = { note: NotebookPen, call: Phone, visit: MapPin, email: Mail };
