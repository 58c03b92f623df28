import { Module } from '@nestjs/common';
import { NoticesController } from '../notices/notices.controller.ts';
import { OverviewController } from '../overview/overview.controller.ts';
import { SearchController } from '../search/search.controller.ts';
import { RequestsController } from './requests.controller.ts';

@Module({ controllers: [RequestsController, OverviewController, SearchController, NoticesController] })
export class RequestsModule {}
